/** What every page is given: the object that its address names, `/portal/transactions/{id}`; null without one. */
export interface PageProps {
  id: string | null;
}
