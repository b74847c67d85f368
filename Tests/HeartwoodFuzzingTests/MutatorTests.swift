internal import HeartwoodTesting
import Heartwood
import HeartwoodFuzzing
import Testing

/// Most mutated inputs must get past the checksums, because otherwise a fuzzer finds nothing.
@Suite struct MutatorTests {
    @Test func mostMutatedDirectoriesGetPastTheHeaders() throws {
        let images = try Corpus.goldenImages(version: 1) + Corpus.goldenImages(version: 3)
        var opened = 0
        var severalSegments = 0
        var torn = 0
        var damaged: [String: Int] = [:]
        for outcome in try openings(of: images, count: 300, seed: 11) {
            switch outcome {
            case .opened(let found):
                opened += 1
                if found.report.segments > 1, found.report.records > 1 { severalSegments += 1 }
                if case .torn = found.report.tail { torn += 1 }
            case .failed(let failure): damaged[String(failure.message.prefix(30)), default: 0] += 1
            }
        }
        #expect(opened > 80)
        #expect(severalSegments > 10)
        #expect(torn > 10)
        #expect(damaged.count > 5)
    }

    /// The same for stores with a snapshot.
    @Test func mostMutatedSnapshotsGetPastTheirHeaders() throws {
        let images = try Corpus.goldenImages(version: 2)
            .filter { $0.encoded.count <= FuzzTarget.directory.maximumInput }
        var (opened, damagedValues) = (0, 0)
        var damaged: [String: Int] = [:]
        for outcome in try openings(of: images, count: 400, seed: 12) {
            switch outcome {
            case .opened(let found):
                guard found.report.snapshot != nil else { continue }
                opened += 1
                if found.entries.contains(where: { $0.value == .failure(.corruption) }) { damagedValues += 1 }
            case .failed(let failure):
                damaged[String(failure.message.prefix(30)) + (failure.cause ?? ""), default: 0] += 1
            }
        }
        #expect(opened > 40)
        #expect(damagedValues > 3)
        #expect(damaged.count > 8)
    }

    /// The outcomes of opening mutated directories.
    private func openings(of images: [DirectoryImage], count: Int, seed: UInt64) throws -> [OpeningOutcome] {
        var random = SeededRandom(seed)
        let workspace = Workspace()
        return try (0..<count).map { _ in
            var input = random.pick(images).encoded
            for _ in 0...random.below(4) {
                input = FuzzTarget.directory.mutate(
                    input, random: &random, blind: { Array($0.prefix($1)) }, in: workspace)
            }
            let fileSystem = try input.withUnsafeBytes { try DirectoryImage($0).inMemory() }
            return OpeningOutcome(OpeningOutcome.configuration(fileSystem))
        }
    }
}
