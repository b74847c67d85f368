internal import ArgumentParser
internal import HeartwoodCampaignSupport

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Real disks that are really full.
struct FullDiskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "full-disk",
        abstract: "Fills small file systems while tasks write, frees them, and looks whether all is there.",
        usage: "Tools/campaign full-disk [--rounds <rounds>] [--seed <seed>] [--size <size>]",
        discussion: """
            Each round mounts a file system of a few megabytes: in turn a tmpfs, an ext4 in a file, and a tmpfs with \
            room for few files. On it, tasks write at all durabilities until the store refuses for want of space. \
            Everything acknowledged must be there and nothing that was refused; with room again the store must go on \
            by itself; it must close, open and serve reads on the full disk. Removals must be accepted on the full \
            disk, and once all keys are removed a compaction must give the space back.

            Mounting takes root, or a kernel that gives users a namespace of their own (unshare -rm); ext4 takes root \
            and loop devices. What isn't permitted is skipped, with the reason. The mounts are in a namespace of this \
            process where there are such: nobody else sees them, and they are gone with it.
            """)

    @Option(help: "How many rounds.")
    var rounds = 12

    @Option(help: "The seed: of sizes, tasks and what is written; the moments still depend on the machine.")
    var seed: UInt64 = .random(in: 1...999_999_999)

    @Option(help: "The size of each file system, in MiB; 8 to 1024.")
    var size = 16

    @Flag(help: .hidden)
    var apart = false

    func validate() throws {
        guard (8...1024).contains(size) else { throw ValidationError("--size: 8 to 1024") }
    }

    func run() async throws {
        #if os(Linux)
        if !apart { goApart() }
        #endif
        say("full-disk: \(rounds) rounds, seed \(seed), \(size) MiB")
        raiseFileLimit()
        let directory = try TemporaryDirectory.make("full-disk")
        defer { TemporaryDirectory.remove(directory) }
        let watchdog = Watchdog(seconds: 180)
        let line = ProgressLine()
        let start = ContinuousClock.now
        var kinds = SmallDisk.Kind.allCases
        var skipped: [(kind: SmallDisk.Kind, reason: String)] = []
        var totals = FullDiskRound.Totals()
        while totals.rounds < rounds, !kinds.isEmpty {
            let kind = kinds[totals.rounds % kinds.count]
            let disk: SmallDisk
            do {
                disk = try SmallDisk(kind, megabytes: size, in: directory)
            } catch let error as NotPermitted {
                kinds.removeAll { $0 == kind }
                skipped.append((kind, error.reason))
                continue
            }
            defer { disk.unmount() }
            let before = totals
            var round = FullDiskRound(seed: seed, number: totals.rounds, on: disk) { step in
                watchdog.rearm()
                line.show("\(before.rounds) of \(rounds) rounds, \(kind.rawValue): \(step)")
            }
            do {
                try await round.run()
            } catch {
                line.clear()
                say("FAILED in round \(totals.rounds), on \(kind.rawValue): \(error)")
                say("  \(round.description)")
                if let kept = keep(disk) { say("  the store is kept in \(kept)") }
                say(
                    "  again, though the moments will differ: Tools/campaign full-disk --rounds \(totals.rounds + 1) "
                        + "--seed \(seed) --size \(size)"
                )
                throw ExitCode(1)
            }
            totals.add(round.totals)
        }
        line.clear()
        watchdog.stop()
        for skip in skipped { say("  skipped: \(skip.kind.rawValue): \(skip.reason)") }
        totals.tell(in: .now - start, skipped: skipped.count)
    }

    /// Copies what is on a disk to where it outlives the mount.
    private func keep(_ disk: SmallDisk) -> String? {
        guard let kept = try? TemporaryDirectory.make("full-disk-failed") else { return nil }
        return Program.run(["cp", "-a", disk.path + "/store", kept]) == nil ? kept + "/store" : nil
    }

    #if os(Linux)
    /// Goes on in a mount namespace, with a user namespace too where this isn't root; returns where there is neither.
    private func goApart() {
        let unshare = getuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--map-root-user", "--mount"]
        guard Program.run(unshare + ["true"]) == nil, let executable = realpath("/proc/self/exe", nil) else { return }
        Program.become(
            unshare + [
                String(cString: executable), "full-disk", "--apart", "--rounds", "\(rounds)", "--seed", "\(seed)",
                "--size", "\(size)",
            ])
    }
    #endif
}

extension FullDiskRound.Totals {
    mutating func add(_ other: Self) {
        rounds += other.rounds
        accepted += other.accepted
        refused += other.refused
        openingsOnFullDisk += other.openingsOnFullDisk
        closesOnFullDisk += other.closesOnFullDisk
        drops += other.drops
        resumptions += other.resumptions
        newStores += other.newStores
        removals += other.removals
        compactions += other.compactions
    }

    func tell(in time: Duration, skipped: Int) {
        say("  \(rounds) rounds in \(inSeconds(time)), \(skipped) kinds of file system skipped")
        guard rounds > 0 else { return }
        say("  \(accepted) writes accepted, \(refused) refused for want of space, \(resumptions) resumptions")
        say(
            "  on the full disk: \(closesOnFullDisk) closed, \(drops) dropped, \(openingsOnFullDisk) opened, "
                + "\(newStores) made, \(removals) removals, \(compactions) emptied and compacted"
        )
    }
}
