/**
 * CityHash128 in its version 1.0.2, which ClickHouse writes before each block of its own compression; later versions of CityHash have other values. All numbers are
 * unsigned and of 64 bits; `wrap` after each sum and product lets the engine of JavaScript compute them as such, without allocating.
 */

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const MIX = 0x9ddfea08eb382d69n;

type Pair = readonly [low: bigint, high: bigint];

/** The hash of `bytes`, as its lower and its upper half. */
export function cityHash128(bytes: Uint8Array): Pair {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length;
  if (length >= 16) return seeded(view, 16, word(view, 0) ^ K3, word(view, 8));
  if (length >= 8) return seeded(view, length, word(view, 0) ^ wrap(BigInt(length) * K0), word(view, length - 8) ^ K1);
  return seeded(view, 0, K0, K1);
}

function seeded(view: DataView, from: number, low: bigint, high: bigint): Pair {
  return view.byteLength - from < 128 ? murmur(view, from, low, high) : long(view, from, low, high);
}

/** Fewer than 128 bytes. */
function murmur(view: DataView, from: number, low: bigint, high: bigint): Pair {
  const end = view.byteLength;
  const length = end - from;
  let a = low;
  let b = high;
  let c: bigint;
  let d: bigint;
  if (length <= 16) {
    a = wrap(shift(wrap(a * K1)) * K1);
    c = wrap(wrap(b * K1) + short(view, from));
    d = shift(wrap(a + (length >= 8 ? word(view, from) : c)));
  } else {
    c = mixed(wrap(word(view, end - 8) + K1), a);
    d = mixed(wrap(b + BigInt(length)), wrap(c + word(view, end - 16)));
    a = wrap(a + d);
    // The last of at most 16 bytes are in c and d already.
    for (let at = from; end - at > 16; at += 16) {
      a = wrap((a ^ wrap(shift(wrap(word(view, at) * K1)) * K1)) * K1);
      b ^= a;
      c = wrap((c ^ wrap(shift(wrap(word(view, at + 8) * K1)) * K1)) * K1);
      d ^= c;
    }
  }
  a = mixed(a, c);
  b = mixed(d, b);
  return [a ^ b, mixed(b, a)];
}

/** At most 16 bytes. */
function short(view: DataView, from: number): bigint {
  const length = view.byteLength - from;
  if (length > 8) {
    const last = word(view, view.byteLength - 8);
    return mixed(word(view, from), rotate(wrap(last + BigInt(length)), BigInt(length))) ^ last;
  }
  if (length >= 4) {
    const first = BigInt(view.getUint32(from, true));
    return mixed(wrap(BigInt(length) + (first << 3n)), BigInt(view.getUint32(view.byteLength - 4, true)));
  }
  if (length === 0) return K2;
  const y = view.getUint8(from) + (view.getUint8(from + (length >> 1)) << 8);
  const z = length + (view.getUint8(view.byteLength - 1) << 2);
  return wrap(shift(wrap(BigInt(y) * K2) ^ wrap(BigInt(z) * K3)) * K2);
}

/** 128 bytes and more: the state is `x`, `y`, `z` and two pairs, `v` and `w`. */
function long(view: DataView, from: number, low: bigint, high: bigint): Pair {
  const end = view.byteLength;
  let x = low;
  let y = high;
  let z = wrap(BigInt(end - from) * K1);
  let v0 = wrap(wrap(rotate(y ^ K1, 49n) * K1) + word(view, from));
  let v1 = wrap(wrap(rotate(v0, 42n) * K1) + word(view, from + 8));
  let w0 = wrap(wrap(rotate(wrap(y + z), 35n) * K1) + x);
  let w1 = wrap(rotate(wrap(x + word(view, from + 88)), 53n) * K1);
  let at = from;
  // Twice 64 bytes at a time, so that what is left at the end is less than 128 bytes.
  for (let left = ((end - from) >> 7) * 2; left > 0; left--) {
    const oldX = x;
    x = wrap(rotate(wrap(wrap(oldX + y) + wrap(v0 + word(view, at + 16))), 37n) * K1) ^ w1;
    y = wrap(rotate(wrap(wrap(y + v1) + word(view, at + 48)), 42n) * K1) ^ v0;
    z = rotate(z ^ w0, 33n);

    let a = wrap(wrap(v1 * K1) + word(view, at));
    let b = rotate(wrap(wrap(wrap(x + w0) + a) + word(view, at + 24)), 21n);
    let sum = wrap(wrap(a + word(view, at + 8)) + word(view, at + 16));
    v0 = wrap(sum + word(view, at + 24));
    v1 = wrap(wrap(b + rotate(sum, 44n)) + a);

    a = wrap(wrap(z + w1) + word(view, at + 32));
    b = rotate(wrap(wrap(y + a) + word(view, at + 56)), 21n);
    sum = wrap(wrap(a + word(view, at + 40)) + word(view, at + 48));
    w0 = wrap(sum + word(view, at + 56));
    w1 = wrap(wrap(b + rotate(sum, 44n)) + a);

    const oldZ = z;
    z = x;
    x = oldZ;
    at += 64;
  }
  y = wrap(y + wrap(wrap(rotate(w0, 37n) * K0) + z));
  x = wrap(x + wrap(rotate(wrap(v0 + z), 49n) * K0));
  // What is left, in 32 bytes from the end of all.
  for (let done = 32; done - 32 < end - at; done += 32) {
    const place = end - done;
    y = wrap(wrap(rotate(wrap(y - x), 42n) * K0) + v1);
    w0 = wrap(w0 + word(view, place + 16));
    x = wrap(wrap(rotate(x, 49n) * K0) + w0);
    w0 = wrap(w0 + v0);
    const a = wrap(v0 + word(view, place));
    const b = rotate(wrap(wrap(v1 + a) + word(view, place + 24)), 21n);
    const sum = wrap(wrap(a + word(view, place + 8)) + word(view, place + 16));
    v0 = wrap(sum + word(view, place + 24));
    v1 = wrap(wrap(b + rotate(sum, 44n)) + a);
  }
  x = mixed(x, v0);
  y = mixed(y, w0);
  return [wrap(mixed(wrap(x + v1), w1) + y), mixed(wrap(x + w1), wrap(y + v1))];
}

function mixed(low: bigint, high: bigint): bigint {
  let a = wrap((low ^ high) * MIX);
  a ^= a >> 47n;
  let b = wrap((high ^ a) * MIX);
  b ^= b >> 47n;
  return wrap(b * MIX);
}

function shift(value: bigint): bigint {
  return value ^ (value >> 47n);
}

function rotate(value: bigint, bits: bigint): bigint {
  return wrap((value >> bits) | (value << (64n - bits)));
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function word(view: DataView, at: number): bigint {
  return view.getBigUint64(at, true);
}
