internal import ArgumentParser
internal import Foundation
internal import Heartwood
internal import HeartwoodCampaignSupport

/// The child of a round: opens the store and writes to it until it is killed.
struct WriteUntilKilledCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "write-until-killed", shouldDisplay: false)

    @Option var seed: UInt64
    @Option var round: Int
    @Option var directory: String
    @Option var decoy: String

    func run() async throws {
        let plan = RoundPlan(seed: seed, round: round)
        let places = StorePlaces(store: directory, decoy: decoy)
        let store: Store
        do {
            if plan.isRelative { try StorePlaces.enter(places.parent) }
            store = try await Store.open(
                at: plan.isRelative ? places.name : places.store, configuration: plan.configuration)
        } catch {
            Self.send(.failed("the child could not open the store: \(error)"))
            throw ExitCode(1)
        }
        Self.send(.opened)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<plan.work.writers {
                group.addTask { await Self.attempt { try await ChildWriter(store, plan, writer).run() } }
            }
            group.addTask { await Self.attempt { try await ChildReader(store, plan).run() } }
            group.addTask {
                await Self.attempt {
                    try await Task.sleep(for: .milliseconds(plan.moveDelay))
                    if plan.isRelative { try StorePlaces.enter(places.decoyParent) }
                    if plan.isMoved { try places.exchange() }
                }
            }
            if plan.isCompactedAllTheTime {
                group.addTask { await Self.attempt { while true { try await store.compact() } } }
            }
        }
    }

    private static func attempt(_ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            send(.failed("\(error)"))
            _exit(1)
        }
    }

    static func send(_ message: ChildMessage) {
        var line = message.line
        line.withUTF8 { bytes in
            if write(STDOUT_FILENO, bytes.baseAddress, bytes.count) != bytes.count { _exit(2) }
        }
    }
}

/// One of the tasks that write.
struct ChildWriter {
    private let store: Store
    private let plan: RoundPlan
    private let writer: Int

    init(_ store: Store, _ plan: RoundPlan, _ writer: Int) {
        self.store = store
        self.plan = plan
        self.writer = writer
    }

    func run() async throws {
        // A flood is limited, so that its store can be read quickly.
        for number in 1...(plan.isFlood ? 30_000 : 1_000_000) {
            let operation = plan.work.operation(writer: writer, number: number)
            let sequence = try await operation.perform(on: store)
            WriteUntilKilledCommand.send(
                .acknowledged(Acknowledgement(writer: writer, number: number, sequence: sequence)))
            if operation.isTransaction || number % 4 == 0 { try readBack(operation) }
            if !plan.isFlood, number % 32 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    /// Checks that the write is visible: it returns only then, and no other task writes these keys.
    private func readBack(_ operation: WriterOperation) throws {
        for (key, value) in operation.changes where try store.get(key) != value {
            throw Violation("\(key) doesn't have the value of operation \(operation.counter) of writer \(writer)")
        }
    }
}

/// Checks concurrently with the writers that every reader sees complete batches.
struct ChildReader {
    private let store: Store
    private let plan: RoundPlan

    init(_ store: Store, _ plan: RoundPlan) {
        self.store = store
        self.plan = plan
    }

    func run() async throws {
        var count = 0
        while true {
            count += 1
            let writer = count % plan.work.writers
            let group = "w\(writer)/b\(count / plan.work.writers % 3)/"
            var counter: UInt64?
            var seen: [String] = []
            let scan = store.scan(.prefix(group))
            for try await entry in scan {
                let found = littleEndianNumber(in: entry.value)
                seen.append("\(String(decoding: entry.key, as: UTF8.self)): \(found ?? 0) of \(entry.sequence)")
                guard let found, counter == nil || counter == found else {
                    let entries = seen.joined(separator: ", ")
                    throw Violation("a scan at \(scan.sequence) sees parts of two batches: \(entries)")
                }
                counter = found
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
