import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import CollectorService

/// Bodies that come slowly, or not at all.
@Suite struct SlowClientTests {
    private func read(_ reader: BodyReader, declared: Int? = nil, parts: [String], delay: Duration = .zero) async throws
        -> ByteBuffer
    {
        let stream = AsyncStream<ByteBuffer> { continuation in
            Task {
                for part in parts {
                    try? await Task.sleep(for: delay)
                    continuation.yield(ByteBuffer(string: part))
                }
                continuation.finish()
            }
        }
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/events")
        if let declared { head.headerFields[.contentLength] = "\(declared)" }
        return try await reader.read(Request(head: head, body: RequestBody(asyncSequence: stream)))
    }

    @Test func aBodyIsPutTogether() async throws {
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(60))
        #expect(try await read(reader, parts: ["ab", "", "cd", "ef"]) == ByteBuffer(string: "abcdef"))
        #expect(try await read(reader, declared: 6, parts: ["ab", "cdef"]) == ByteBuffer(string: "abcdef"))
        #expect(try await read(reader, parts: []) == ByteBuffer())
    }

    @Test func aBodyThatIsTooLargeIsNotRead() async throws {
        let reader = BodyReader(maximumBytes: 6, timeout: .seconds(60))
        for (declared, parts) in [(7, ["a"]), (nil, ["abcd", "efg"]), (6, ["abcdefg"])] {
            let error = await #expect(throws: Problem.self) { try await read(reader, declared: declared, parts: parts) }
            #expect(error?.status == .contentTooLarge)
            #expect(error?.closesConnection == true)
        }
    }

    @Test func aBodyThatTakesTooLongIsRefused() async throws {
        let reader = BodyReader(maximumBytes: 100, timeout: .zero)
        let error = await #expect(throws: Problem.self) {
            try await read(reader, parts: ["a", "b", "c"], delay: .milliseconds(1))
        }
        #expect(error?.status == .requestTimeout)
        #expect(error?.closesConnection == true)
    }
}
