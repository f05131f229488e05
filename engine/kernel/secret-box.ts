/**
 * Encrypts secrets for the store (AES-256-GCM under `RELAY_SECRET_KEY`). `context` binds a sealed
 * text to its place (for example `partner/7/gwSecretKey`), and it cannot be opened for another
 * place. `open` throws RelayError `internal` when no key fits.
 */
export interface SecretBox {
  seal(secret: string, context: string): string;
  open(sealed: string, context: string): string;
}
