import { readFileSync } from "node:fs";

export interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; legendFormat: string }[];
}

export function dashboardPanels(): Panel[] {
  const { panels } = JSON.parse(readFileSync("infra/monitoring/dashboard.json", "utf8")) as { panels: Panel[] };
  return panels;
}
