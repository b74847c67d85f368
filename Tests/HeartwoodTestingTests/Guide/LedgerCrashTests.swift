import Foundation
import Heartwood  // .product(name: "Heartwood", package: "heartwood")
import HeartwoodTesting  // .product(name: "HeartwoodTesting", package: "heartwood")
import Testing

@Suite struct LedgerCrashTests {
    @Test func survivesEveryCrash() async throws {
        let report = try await CrashTest().run { disk in
            try await pay(disk) { try await $0.transfer(10, from: "ada", to: "bob") }
        } check: { disk, crash in
            try await check(disk, crash)
        }
        #expect(report.crashes > 20, "\(report)")
    }

    @Test func survivesEveryFailingCall() async throws {
        let report = try await CrashTest().failEveryCall { disk in
            try await pay(disk) { try await $0.transfer(10, from: "ada", to: "bob") }
        } check: { disk, crash in
            try await check(disk, crash)
        }
        #expect(report.faults > 50, "\(report)")
    }

    @Test func survivesACrashOfItsRecovery() async throws {
        try await CrashTest(statesPerMoment: 4).run { disk in
            try await pay(disk) { try await $0.transfer(10, from: "ada", to: "bob") }
        } check: { _, crash in
            try await CrashTest(statesPerMoment: 4, image: crash.image).run { disk in
                try await Ledger.with(disk.storage) { _ in }
            } check: { disk, _ in
                try await check(disk, crash)
            }
        }
    }

    @Test func bearsASyncThatFails() async throws {
        let disk = SimulatedDisk()
        try? await Ledger.with(disk.storage) { ledger in
            try await ledger.deposit(100, to: "ada")
            disk.inject(Fault(.sync, .error(EIO), path: ".log"))
            let error = await #expect(throws: StoreError.self) { try await ledger.deposit(1, to: "ada") }
            #expect(error?.code == .outcomeUnknown)
            #expect(try ledger.balance(of: "ada") == 100)
        }
        try await Ledger.with(disk.storage) { ledger in
            let balance = try ledger.balance(of: "ada")
            #expect(balance == 100 || balance == 101)
        }
    }

    @Test(arguments: UInt64(1)...20)
    func bearsFailuresByChance(seed: UInt64) async throws {
        let disk = SimulatedDisk(seed: seed)
        disk.inject(RandomFaults(oneIn: 20))
        try? await pay(disk) { try await $0.transfer(10, from: "ada", to: "bob") }
        for losses in UInt64(0)..<10 {
            let crash = disk.crash(losing: .drawn(losses))
            try await check(SimulatedDisk(image: crash.image), crash)
        }
    }

    @Test func standsAFullDisk() async throws {
        let disk = SimulatedDisk()
        disk.capacity = 256 << 10
        try await Ledger.with(disk.storage) { ledger in
            let error = await #expect(throws: StoreError.self) {
                while true { try await ledger.deposit(1, to: "ada") }
            }
            #expect(error?.code == .outOfSpace)
            let balance = try ledger.balance(of: "ada")
            disk.capacity = .max
            try await ledger.deposit(1, to: "ada")
            #expect(try ledger.balance(of: "ada") == balance + 1)
        }
    }
}

/// Ada has 100 and pays Bob 10, three times. The notes say what Bob was told.
func pay(
    _ disk: SimulatedDisk, durability: Durability = .synced, by transfer: (Ledger) async throws -> Void
) async throws {
    try await Ledger.with(disk.storage, durability: durability) { ledger in
        try await ledger.deposit(100, to: "ada")
        disk.note(0)
        for payment in 1...3 {
            try await transfer(ledger)
            disk.note(payment * 10)
        }
    }
}

/// No money comes or goes, and Bob keeps what he was told he has.
func check(_ disk: SimulatedDisk, _ crash: Crash) async throws {
    try await Ledger.with(disk.storage) { ledger in
        let (ada, bob) = (try ledger.balance(of: "ada"), try ledger.balance(of: "bob"))
        guard let told = crash.notes(of: Int.self).last else { return }
        guard ada + bob == 100 else { throw Broken("\(ada) and \(bob) don't make 100") }
        guard bob >= told else { throw Broken("Bob was told \(told) and has \(bob)") }
    }
}

struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
