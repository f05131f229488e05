/**
 * Every page receives the id of the object in its address, `/portal/transactions/{id}`; null if
 * there is none.
 */
export interface PageProps {
  id: string | null;
}
