//! Generates the gateway's client from this repository's proto file. protox compiles it, without
//! protoc.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../scenarios/lib");
    println!("cargo::rerun-if-changed={}", folder.join("mxaccess_gateway.proto").display());
    let descriptors = protox::compile(["mxaccess_gateway.proto"], [folder])?;
    tonic_prost_build::configure().build_server(false).compile_fds(descriptors)?;

    Ok(())
}
