/// The events of a request's body.
struct EventBatch {
    /// How events are written in a body.
    enum Format {
        /// An object, or an array of objects: `application/json`.
        case json
        /// An object a line: `application/x-ndjson`. Empty lines are skipped.
        case lines

        /// The format of a content type; nil for another one. Parameters are ignored.
        init?(contentType: String) {
            // What most clients send. It saves making strings of it.
            switch contentType {
            case "application/json":
                self = .json
                return
            case "application/x-ndjson":
                self = .lines
                return
            default: break
            }
            let name = contentType.prefix { $0 != ";" }.trimmingSpaces().lowercased()
            switch name {
            case "application/json": self = .json
            case "application/x-ndjson", "application/jsonl": self = .lines
            default: return nil
            }
        }
    }

    /// What a request may have.
    struct Limits {
        var events = 10_000
        var eventBytes = 64 << 10
    }

    /// Why a body is refused.
    struct Invalid: Error {
        /// The first bad event: its index in the array from 0, or its line from 1. Nil for what is outside of events.
        var event: Int?
        var format: Format
        var error: JSONError
    }

    /// In the order of the body, at least one.
    var events: [ScannedEvent] = []

    /// Reads a body. All of it is accepted, or nothing.
    ///
    /// - Complexity: O(bytes).
    init(_ bytes: borrowing Span<UInt8>, _ format: Format, _ limits: Limits) throws(Invalid) {
        switch format {
        case .json: try readJSON(bytes, limits)
        case .lines: try readLines(bytes, limits)
        }
        if events.isEmpty {
            throw Invalid(event: nil, format: format, error: JSONError(offset: 0, reason: "there are no events"))
        }
    }

    private mutating func readJSON(_ bytes: borrowing Span<UInt8>, _ limits: Limits) throws(Invalid) {
        var scanner = JSONScanner()
        let isArray = scanner.skip(UInt8(ascii: "["), bytes)
        if !isArray {
            try read(bytes, &scanner, limits, .json, number: 0)
        } else if !scanner.skip(UInt8(ascii: "]"), bytes) {
            repeat {
                try read(bytes, &scanner, limits, .json, number: events.count)
            } while scanner.skip(UInt8(ascii: ","), bytes)
            guard scanner.skip(UInt8(ascii: "]"), bytes) else {
                throw Invalid(event: nil, format: .json, error: scanner.error("',' or ']' is expected"))
            }
        }
        guard scanner.peek(bytes) == nil else {
            throw Invalid(event: nil, format: .json, error: scanner.error("there is more after the end"))
        }
    }

    private mutating func readLines(_ bytes: borrowing Span<UInt8>, _ limits: Limits) throws(Invalid) {
        var (start, number) = (0, 0)
        while start < bytes.count {
            number += 1
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            let line = bytes.extracting(first: end)
            var scanner = JSONScanner(at: start)
            if scanner.peek(line) != nil {
                try read(line, &scanner, limits, .lines, number: number)
                guard scanner.peek(line) == nil else {
                    let error = scanner.error("there is more after the object")
                    throw Invalid(event: number, format: .lines, error: error)
                }
            }
            start = end + 1
        }
    }

    private mutating func read(
        _ bytes: borrowing Span<UInt8>, _ scanner: inout JSONScanner, _ limits: Limits, _ format: Format, number: Int
    ) throws(Invalid) {
        do throws(JSONError) {
            let event = try ScannedEvent(bytes, &scanner)
            if event.object.count > limits.eventBytes {
                throw JSONError(offset: event.object.lowerBound, reason: "the event is too large")
            }
            if events.count == limits.events {
                throw JSONError(offset: event.object.lowerBound, reason: "there are too many events in one request")
            }
            events.append(event)
        } catch {
            throw Invalid(event: number, format: format, error: error)
        }
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    func trimmingSpaces() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
