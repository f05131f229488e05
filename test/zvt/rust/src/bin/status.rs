//! The example that the library ships, as it is: run.ts says where the library was unpacked.
include!(concat!(env!("ZVT_LIBRARY"), "/examples/status.rs"));
