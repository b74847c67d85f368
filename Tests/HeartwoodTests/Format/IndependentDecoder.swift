import Foundation
import Testing

/// `Tests/Decoders/heartwood_decode.py`: a reader of the format that shares no code with the library and was written
/// from `Documentation/FileFormat.md` alone.
///
/// It needs `python3`, which minimal containers may lack (`apt-get install python3-minimal`).
enum IndependentDecoder {
    /// A line of its output.
    struct Pair: Equatable {
        var key: [UInt8]
        var value: [UInt8]
        var expires: UInt64?
    }

    struct Outcome {
        var code: Int32
        var output: String
        var errors: String

        /// The lines of the output, as parsed JSON.
        func pairs() throws -> [Pair] {
            try output.split(separator: "\n").map { line in
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let known: Set = ["key", "key64", "value", "value64", "expires"]
                #expect(known.isSuperset(of: object.keys), "\(line)")
                return Pair(
                    key: try Self.bytes(object, "key"), value: try Self.bytes(object, "value"),
                    expires: (object["expires"] as? NSNumber)?.uint64Value)
            }
        }

        private static func bytes(_ object: [String: Any], _ name: String) throws -> [UInt8] {
            if let text = object[name] as? String {
                #expect(object[name + "64"] == nil)
                return Array(text.utf8)
            }
            let encoded = try #require(object[name + "64"] as? String)
            let bytes = [UInt8](try #require(Data(base64Encoded: encoded)))
            #expect(String(validating: bytes, as: UTF8.self) == nil, "text in base64")
            return bytes
        }
    }

    private static func python(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        return process
    }

    static let isAvailable: Bool = {
        let process = python(["-c", "import sys, zlib; sys.exit(sys.version_info < (3, 9))"])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let script: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.appendingPathComponent("Decoders/heartwood_decode.py").path
    }()

    /// Runs the decoder on a store.
    ///
    /// - Parameters:
    ///   - now: The time for expiry; nil takes the decoder's own clock.
    ///   - scratch: Holds the decoder's output: files, because a pipe may fill up.
    static func run(_ store: String, now: UInt64? = nil, scratch: TemporaryDirectory) async throws -> Outcome {
        let run = UUID().uuidString
        let (output, errors) = (scratch.path(run + ".out"), scratch.path(run + ".err"))
        try TemporaryDirectory.write([], to: output)
        try TemporaryDirectory.write([], to: errors)
        let process = python([script, store] + (now.map { ["--now", "\($0)"] } ?? []))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Outcome(
            code: process.terminationStatus,
            output: String(decoding: try TemporaryDirectory.bytes(of: output), as: UTF8.self),
            errors: String(decoding: try TemporaryDirectory.bytes(of: errors), as: UTF8.self))
    }
}
