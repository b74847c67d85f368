import Heartwood
import HeartwoodNIO
import NIOCore
import Testing

/// SwiftNIO's buffers as keys and values.
@Suite struct ByteBufferTests {
    private let store: Store

    init() throws { store = try .inMemory() }

    @Test(arguments: [0, 1, 100, 5_000, 2 << 20])
    func aBufferIsAKeyAndAValue(count: Int) async throws {
        let value = ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await store.put(ByteBuffer(string: "key"), value)
        #expect(try store.get("key").map { ByteBuffer(bytes: $0) } == value)
    }

    @Test func onlyReadableBytesCount() async throws {
        var buffer = ByteBuffer(string: "read key=value")
        buffer.moveReaderIndex(forwardBy: 5)
        let slice = buffer.readSlice(length: 3)
        let key = try #require(slice)
        buffer.moveReaderIndex(forwardBy: 1)
        try await store.put(key, buffer)
        #expect(try store.get("key") == Array("value".utf8))
        #expect(buffer.readableBytes == 5, "lending has moved the reader index")
        try await store.put("view", buffer.readableBytesView.prefix(3))
        #expect(try store.get("view") == Array("val".utf8))
    }

    @Test func anErrorOfTheBodyComesOut() {
        struct Broken: Error, Equatable {}
        func typed() throws(Broken) { try ByteBuffer().withByteBuffer { _ throws(Broken) in throw Broken() } }
        #expect(throws: Broken()) { try typed() }
    }
}
