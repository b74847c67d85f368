import HTTPTypes
import Heartwood
import Hummingbird
import Testing

@testable import CollectorService

/// The text of streams. StreamLiveTests has streams over connections.
@Suite struct EventFramesTests {
    private func changes(_ batches: [[String]], types: [String] = []) async throws -> (store: Store, [Change]) {
        let store = try Store.inMemory()
        var number: UInt64 = 0
        for batch in batches {
            try await store.write { write in
                for object in batch {
                    write.put(EventKeys.event(EventID(time: 5, epoch: 1, number: number)), object)
                    write.put("t\(number)", "")
                    number += 1
                }
            }
        }
        let start = ChangePosition(store: store.position.store, sequence: 0)
        var changes: [Change] = []
        for try await change in store.changes(after: start, in: EventKeys.events) {
            changes.append(change)
            if changes.count == batches.joined().count { break }
        }
        return (store, changes)
    }

    private func lines(_ changes: [Change], _ type: String?, after: StreamPosition) -> [String] {
        var frames = EventFrames(type: type, after: after)
        var text: [UInt8] = []
        for change in changes { frames.append(change, to: &text) }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func eachEventHasItsPlaceInTheStream() async throws {
        let (store, changes) = try await changes([[#"{"type":"a"}"#], [#"{"type":"a"}"#, "{\n\"type\":\r\n\"b\"}"]])
        let start = StreamPosition(ChangePosition(store: store.position.store, sequence: 0))
        let lines = lines(changes, nil, after: start)
        let sequences = changes.map(\.sequence)
        #expect(lines.count == 6)
        #expect(lines[0] == "id: \(store.position.store)-\(sequences[0])")
        #expect(lines[2] == "id: \(store.position.store)-\(sequences[1] - 1)+1")
        #expect(lines[4] == "id: \(store.position.store)-\(sequences[1])")
        #expect(lines[5].hasSuffix(#","event":{ "type":  "b"}}"#), "a line break would end the data")
        try await store.close()
    }

    /// From each position, exactly the events after it come.
    @Test func aStreamContinuesInTheMiddleOfABatch() async throws {
        let object = #"{"type":"a"}"#
        let (store, changes) = try await changes([[object], [object, object, object], [object, object]])
        let start = StreamPosition(ChangePosition(store: store.position.store, sequence: 0))
        let all = lines(changes, nil, after: start).filter { $0.hasPrefix("data:") }
        let ids = lines(changes, nil, after: start).filter { $0.hasPrefix("id:") }.map { String($0.dropFirst(4)) }
        #expect(ids.count == 6)
        for (index, text) in ids.enumerated() {
            let position = try #require(StreamPosition(text))
            var rest: [Change] = []
            if index < 5 {
                for try await change in store.changes(after: position.position, in: EventKeys.events) {
                    rest.append(change)
                    if change.sequence == changes.last?.sequence && change.isLastOfBatch { break }
                }
            }
            let found = lines(rest, nil, after: position).filter { $0.hasPrefix("data:") }
            #expect(found == Array(all.dropFirst(index + 1)), "after \(text)")
        }
        try await store.close()
    }

    @Test func aTypeSelectsAndThePositionMovesOn() async throws {
        let (store, changes) = try await changes([[#"{"type":"\u0061"}"#, #"{"type":"b"}"#], [#"{"type":"b"}"#]])
        let start = StreamPosition(ChangePosition(store: store.position.store, sequence: 0))
        #expect(lines(changes, "a", after: start).filter { $0.hasPrefix("data:") }.count == 1)
        var frames = EventFrames(type: "none", after: start)
        var text: [UInt8] = []
        for change in changes { frames.append(change, to: &text) }
        #expect(text.isEmpty)
        frames.appendPosition(to: &text)
        frames.appendPosition(to: &text)
        #expect(String(decoding: text, as: UTF8.self) == "id: \(changes[2].position)\n\n")
        try await store.close()
    }

    @Test(arguments: [
        "", "x", "+1", "00112233445566778899aabbccddeeff-42+", "00112233445566778899aabbccddeeff-42+0",
        "00112233445566778899aabbccddeeff-42+1+1", "00112233445566778899aabbccddeeff-42+-1",
        "00112233445566778899aabbccddeeff-42+9223372036854775807", "00112233445566778899aabbccddeeff-42+4294967296",
    ])
    func otherPositionsAreRefused(_ text: String) { #expect(StreamPosition(text) == nil) }
}
