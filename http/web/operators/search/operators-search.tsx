import { SearchDialog } from "../../portal/search/search-dialog.tsx";
import type { SearchProps } from "../../portal/search/source.ts";
import { operatorsSource } from "./operators-source.ts";

export function OperatorsSearch(props: SearchProps) {
  return <SearchDialog source={operatorsSource} {...props} />;
}
