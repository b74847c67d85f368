import Foundation
import HeartwoodLocal
import Testing

@Suite struct ObservingTests {
    private struct Mark: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var text: String
    }

    @Test func deliversTheStateAndEachNewerOne() async throws {
        let scratch = try Scratch()
        let marks = LocalRepository<Mark>(directory: scratch.url)
        var all = marks.observe().makeAsyncIterator()
        var one = marks.observe(1).makeAsyncIterator()
        #expect(await all.next() == [])
        #expect(await one.next() == .some(nil))
        try await marks.save(Mark(id: 1, text: "a"))
        #expect(await all.next()?.map(\.text) == ["a"])
        #expect(await one.next()??.text == "a")
        // Several changes are one element; another repository of the path counts.
        let other = LocalRepository<Mark>(directory: scratch.url)
        for number in 2...9 { try await other.save(Mark(id: number, text: "b")) }
        #expect(await all.next()?.count == 9)
        try await marks.delete(1)
        #expect(await all.next()?.count == 8)
        #expect(await one.next() == .some(nil))
    }

    @Test func followsAWriterToItsEnd() async throws {
        let scratch = try Scratch()
        let marks = LocalRepository<Mark>(directory: scratch.url)
        let last = Task {
            var counts: [Int] = []
            for await all in marks.observe() {
                counts.append(all.count)
                if all.count == 200 { break }
            }
            return counts
        }
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { try await marks.save(Mark(id: number, text: "")) } }
        }
        let counts = await last.value
        #expect(counts == counts.sorted())
        #expect(counts.last == 200)
    }

    @Test func endsWithItsTask() async throws {
        let scratch = try Scratch()
        let marks = LocalRepository<Mark>(directory: scratch.url)
        let task = Task { for await _ in marks.observe(1) {} }
        try await Task.sleep(for: .milliseconds(10))
        task.cancel()
        await task.value
        try await marks.save(Mark(id: 1, text: ""))
    }
}
