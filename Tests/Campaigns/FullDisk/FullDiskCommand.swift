internal import ArgumentParser
internal import Foundation
internal import HeartwoodCampaignSupport

/// Real file systems that are full.
struct FullDiskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "full-disk",
        abstract: "Fills small file systems while tasks write, frees space, and checks that nothing is lost.",
        usage: "Tools/campaign full-disk [--rounds <rounds>] [--seed <seed>] [--size <size>]",
        discussion: """
            Each round mounts a file system of a few megabytes: in turn a tmpfs, an ext4 in a file, and a tmpfs with \
            few inodes. Tasks write to it at all durabilities until the store refuses because the disk is full. \
            Everything acknowledged must be there, and nothing that was refused. Once there is free space the store \
            must resume automatically; it must close, open and serve reads on the full disk. Removals must be accepted \
            on the full disk, and once all keys are removed a compaction must free the space.

            Mounting requires root, or a kernel that permits user namespaces (unshare -rm); ext4 requires root and \
            loop devices. What isn't permitted is skipped, with the reason. If possible, the mounts are in a namespace \
            of this process: no other process sees them, and they end with it.
            """)

    @Option(help: "How many rounds.")
    var rounds = 12

    @OptionGroup var options: SeedOptions

    @Option(help: "The size of each file system, in MiB; 8 to 1024.")
    var size = 16

    @Flag(help: .hidden)
    var apart = false

    func validate() throws {
        guard (8...1024).contains(size) else { throw ValidationError("--size: 8 to 1024") }
    }

    func run() async throws {
        #if os(Linux)
        if !apart { enterNamespace() }
        #endif
        let seed = options.seed
        say("full-disk: \(rounds) rounds, seed \(seed), \(size) MiB")
        raiseFileLimit()
        let directory = try TemporaryDirectory.make("full-disk")
        defer { TemporaryDirectory.remove(directory) }
        let progress = CampaignProgress()
        var kinds = SmallDisk.Kind.allCases
        var skipped: [(kind: SmallDisk.Kind, reason: String)] = []
        var totals = Tally()
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
            let number = totals.rounds
            var round = FullDiskRound(seed: seed, number: number, on: disk, totals: totals) { step in
                progress.show("\(number) of \(rounds) rounds, \(kind.rawValue): \(step)")
            }
            totals = try await progress.judge {
                try await round.run()
                return round.totals
            } failed: { _ in
                [
                    "in round \(number), on \(kind.rawValue): \(round.description)",
                    keep(disk).map { "the store is kept in \($0)" } ?? "the store isn't kept",
                    "again, with other timing: Tools/campaign full-disk --rounds \(number + 1) --seed \(seed) "
                        + "--size \(size)",
                ]
            }
        }
        for skip in skipped { say("  skipped: \(skip.kind.rawValue): \(skip.reason)") }
        progress.report(totals)
    }

    /// Copies the store to a directory that outlives the mount.
    private func keep(_ disk: SmallDisk) -> String? {
        guard let kept = try? TemporaryDirectory.make("full-disk-failed") else { return nil }
        return Program.run(["cp", "-a", disk.path + "/store", kept]) == nil ? kept + "/store" : nil
    }

    #if os(Linux)
    /// Runs this command again in a mount namespace, without root also in a user namespace. Returns if that fails.
    private func enterNamespace() {
        let unshare = getuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--map-root-user", "--mount"]
        guard Program.run(unshare + ["true"]) == nil else { return }
        Program.become(
            unshare + [
                Program.executable, "full-disk", "--apart", "--rounds", "\(rounds)",
                "--seed", "\(options.seed)", "--size", "\(size)",
            ])
    }
    #endif
}
