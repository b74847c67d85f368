internal import HeartwoodTesting
internal import HeartwoodFuzzing

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

// The entry points of libFuzzer, which is single-threaded. HEARTWOOD_FUZZ_TARGET selects the target.

nonisolated(unsafe) private let workspace = Workspace()

private let target: FuzzTarget = {
    let name = getenv("HEARTWOOD_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("HEARTWOOD_FUZZ_TARGET is '\(name)': set it to one of \(names)")
    }
    return target
}()

@_silgen_name("LLVMFuzzerMutate")
private func libFuzzerMutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int) -> Int

/// Runs the target on one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    target.run(UnsafeRawBufferPointer(start: data, count: size), in: workspace)
    return 0
}

/// Changes an input in place, and returns its new length.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: UInt32) -> Int {
    var random = SeededRandom(UInt64(seed))
    let input = [UInt8](UnsafeBufferPointer(start: data, count: size))
    let output = target.mutate(input, random: &random, blind: blind, in: workspace).prefix(maximum)
    _ = UnsafeMutableBufferPointer(start: data, count: maximum).update(fromContentsOf: output)
    return output.count
}

private func blind(_ bytes: [UInt8], _ maximum: Int) -> [UInt8] {
    guard maximum > 0 else { return [] }
    let size = min(bytes.count, maximum)
    return [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
        _ = buffer.update(fromContentsOf: bytes[..<size])
        count = libFuzzerMutate(buffer.baseAddress!, size, maximum)
    }
}
