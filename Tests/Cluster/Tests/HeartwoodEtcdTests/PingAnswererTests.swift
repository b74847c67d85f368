import NIOCore
import NIOEmbedded
import Testing

@testable import HeartwoodEtcd

@Suite struct PingAnswererTests {
    private static let header: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0]
    private static let measurement = header + [2, 4, 16, 16, 9, 14, 7, 7]
    /// Pings of others, answers, and frames with the bytes of a ping in them.
    private static let others: [[UInt8]] = [
        header + [1, 2, 3, 4, 5, 6, 7, 8], header + [2, 4, 16, 16, 9, 14, 7, 8],
        [0, 0, 8, 6, 1, 0, 0, 0, 0, 2, 4, 16, 16, 9, 14, 7, 7], [0, 0, 17, 0, 1, 0, 0, 0, 1] + measurement,
        [0, 0, 0, 4, 1, 0, 0, 0, 0], [0, 0, 8, 6, 0, 0, 0, 0, 1, 2, 4, 16, 16, 9, 14, 7, 7],
    ]

    /// Every number of bytes at a time, from one on.
    @Test(arguments: 1...120) func answersMeasurementsAndPassesTheRest(_ size: Int) throws {
        let frames = [Self.measurement] + Self.others.flatMap { [$0, Self.measurement] } + [Self.measurement]
        let bytes = frames.flatMap { $0 }
        let channel = EmbeddedChannel(handler: PingAnswerer())
        for start in stride(from: 0, to: bytes.count, by: size) {
            try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + size)]))
        }
        var (passed, answers) = ([UInt8](), [UInt8]())
        while let part = try channel.readInbound(as: ByteBuffer.self) { passed += part.readableBytesView }
        while let part = try channel.readOutbound(as: ByteBuffer.self) { answers += part.readableBytesView }
        #expect(passed == Self.others.flatMap { $0 })
        let answer: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0, 2, 4, 16, 16, 9, 14, 7, 7]
        #expect(answers == (0..<frames.count - Self.others.count).flatMap { _ in answer })
    }
}
