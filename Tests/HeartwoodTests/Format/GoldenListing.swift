import Heartwood
import HeartwoodFormat

/// What an opening of a store finds, as text.
enum GoldenListing {
    static func text(ofStoreAt path: String) async -> String {
        do {
            let store = try await Store.open(at: path, configuration: GoldenStore.configuration())
            let lines = try lines(of: store, path)
            try await store.close()
            return lines.joined(separator: "\n") + "\n"
        } catch let error as StoreError {
            return refusal(error, path) + "\n"
        } catch {
            return "\(error)\n"
        }
    }

    private static func lines(of store: Store, _ path: String) throws -> [String] {
        let report = store.recoveryReport
        var lines = [
            "tail: \(tail(report.tail, path))",
            "read: \(report.segments) segments, \(report.commits) commits, \(report.batches) batches, "
                + "\(report.records) records; last number \(report.lastSequence)",
        ]
        if let snapshot = report.snapshot {
            lines.append(
                "snapshot: \(name(snapshot.file, path)), \(snapshot.keys) keys up to number \(snapshot.sequence), "
                    + "\(snapshot.bytes) bytes, of \(snapshot.time.milliseconds)")
        }
        for file in report.skippedFiles { lines.append("passed over: \(name(file, path))") }
        for entry in try store.scan().entries() {
            let expiry = entry.expires.map { " until \($0.milliseconds)" } ?? ""
            lines.append("\(entry.sequence): \(text(entry.key)) = \(text(entry.value))\(expiry)")
        }
        return lines
    }

    private static func tail(_ tail: RecoveryReport.Tail, _ path: String) -> String {
        switch tail {
        case .new: "new"
        case .closed: "closed"
        case .unclosed: "unclosed"
        case .torn(let file, let offset, let bytes): "torn, \(name(file, path)) at \(offset), \(bytes) bytes"
        }
    }

    private static func refusal(_ error: StoreError, _ path: String) -> String {
        var text = "refused: \(error.code)"
        if let file = error.file { text += ", \(name(file, path))" }
        if let offset = error.offset { text += " at \(offset)" }
        if let lost = error.lostSequences { text += ", lost \(lost.lowerBound) to \(lost.upperBound)" }
        if let cause = error.cause as? FormatError { text += ": \(cause)" }
        return text
    }

    private static func name(_ file: String, _ path: String) -> String {
        file.hasPrefix(path + "/") ? String(file.dropFirst(path.count + 1)) : file
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.count > 64 {
            return "\(bytes.count) bytes, CRC-32C \(hexadecimal(UInt64(CRC32C.checksum(bytes))).suffix(8))"
        }
        if bytes.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
        }
        return bytes.map { hexadecimal(UInt64($0)).suffix(2) }.joined(separator: " ")
    }
}
