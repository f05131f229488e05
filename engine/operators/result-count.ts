/** Results of one local day by method and status: `{CARD: {OK: 12, KO: 1}}`. */
export type ResultCounts = { [method: string]: { [status: string]: number } };

export function addResultCounts(sum: ResultCounts, more: ResultCounts): ResultCounts {
  for (const [method, statuses] of Object.entries(more)) {
    const counted = sum[method] ?? {};
    sum[method] = counted;
    for (const [status, count] of Object.entries(statuses)) counted[status] = (counted[status] ?? 0) + count;
  }
  return sum;
}
