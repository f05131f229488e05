/** A version of the terminal app. Without a package it is never offered. */
export interface AppVersion {
  id: number;
  /** Positive and unique; what terminals compare. */
  versionCode: number;
  versionName: string;
  mandatory: boolean;
  releaseNotes: string;
  /** False: withdrawn, not offered. */
  active: boolean;
  createdAtMs: number;
  package: AppPackage | null;
  /** True once its deletion has begun: nothing is deployed or uploaded any more. */
  deleting: boolean;
}

export interface AppPackage {
  /** Generated, a new one for each upload: under one name there are always the same bytes. */
  fileName: string;
  md5: string;
  bytes: number;
  storedAtMs: number;
}

/** Android's version codes are positive 32-bit integers. */
export const VERSION_CODE_MAX = 2_147_483_647;
export const VERSION_NAME_LENGTH_MAX = 64;
export const RELEASE_NOTES_LENGTH_MAX = 10_000;

/** Versions of one installation; all of them are in the memory of each shard. */
export const VERSIONS_MAX = 500;

/** What an app package begins with: the first entry of a ZIP file. */
export const ZIP_SIGNATURE = [0x50, 0x4b, 0x03, 0x04] as const;

/** Says whether terminals may get this version at all. */
export function isOfferable(version: AppVersion): version is AppVersion & { package: AppPackage } {
  return version.active && !version.deleting && version.package !== null;
}

/** Says whether the bytes begin as a ZIP file does, as far as there are any. */
export function beginsAsZip(bytes: Uint8Array): boolean {
  return ZIP_SIGNATURE.every((expected, index) => index >= bytes.byteLength || bytes[index] === expected);
}
