/** The text that the descriptions of all reports share. */
export const EVERY_REPORT =
  "Days and hours are those of the installation's time zone, also when clocks change. Each figure is of one currency; figures are never added across currencies. The relay rejects a filter that the report does not have. `definitions` says what each figure means, and which list has the same number.";

export const POINT_EXAMPLE = {
  start: "2026-11-25T00:00:00+01:00",
  end: "2026-11-26T00:00:00+01:00",
  from: "2026-11-25",
  to: "2026-11-25",
};

export const DAYS_EXAMPLE = { from: "2026-11-25", to: "2026-11-25" };

export const COUNTED_EXAMPLE = { previous: null, timeZone: "Europe/Rome", asOf: "2026-11-26T10:00:12.000Z" };

export const SUMS_EXAMPLE = { volumeMinor: 105000, approved: 42, declined: 3, approvalRate: 0.9333333333333333, averageTicketMinor: 2500 };

export const LINK_SUMS_EXAMPLE = {
  created: 10,
  createdMinor: 50000,
  paid: 6,
  paidMinor: 30000,
  cancelled: 1,
  expired: 1,
  conversionRate: 0.75,
};
