internal import HeartwoodTesting
import Foundation
import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFuzzing
import Testing

/// The fuzz targets without a fuzzer: the inputs that a fuzzer has kept, and mutations of them.
@Suite struct FuzzTargetTests {
    @Test(arguments: FuzzTarget.allCases)
    func keptInputsHold(_ target: FuzzTarget) throws {
        let corpus = try Corpus.inputs("Corpus", target)
        #expect(!corpus.isEmpty, "no corpus for \(target.rawValue)")
        let workspace = Workspace()
        for (_, input) in try corpus + Corpus.inputs("Failures", target) {
            input.withUnsafeBytes { target.run($0, in: workspace) }
        }
    }

    /// The fuzzer recovers without starting a store, over files that can't be changed. A complete store over ordinary
    /// files has the same outcome and doesn't change them either.
    @Test func aWholeStoreOpensAsTheFuzzerSays() throws {
        var opened = 0
        for (name, input) in try Corpus.inputs("Corpus", .directory) + Corpus.inputs("Failures", .directory) {
            let image = input.withUnsafeBytes { DirectoryImage($0) }
            // In memory, names that are equal as strings are the same name.
            guard let fileSystem = try? image.inMemory() else { continue }
            let configuration = OpeningOutcome.configuration(fileSystem)
            let expected = OpeningOutcome(configuration)
            let frozen = OpeningOutcome.configuration(FrozenFileSystem(image))
            #expect(OpeningOutcome(frozen) == expected, "\(name): the outcome depends on the file system")
            do throws(StoreError) {
                let store = try Store(openingAt: "/store", configuration: configuration)
                var report = store.recoveryReport
                report.duration = .zero
                guard case .opened(let found) = expected else {
                    Issue.record("\(name): opened, but \(expected)")
                    continue
                }
                opened += 1
                #expect(report == found.report, "\(name)")
                for entry in found.entries {
                    let value = Result { () throws(StoreError) in try store.get(entry.key) ?? [] }
                    #expect(OpeningOutcome.Value(value) == entry.value, "\(name)")
                }
            } catch {
                #expect(expected == .failed(OpeningOutcome.Failure(error)), "\(name)")
            }
            for (file, bytes) in image.files where file != "LOCK" {
                #expect(try fileSystem.bytes(of: "/store/" + file) == bytes, "\(name)")
            }
        }
        #expect(opened > 50, "most directories must get past the first check")
    }

    /// A failure ends the process. The last printed line has the seed that reproduces it.
    @Test(arguments: FuzzTarget.allCases)
    func mutatedInputsHold(_ target: FuzzTarget) throws {
        let seed = testSeed("fuzz target \(target.rawValue)")
        var random = SeededRandom(seed, UInt64(FuzzTarget.allCases.firstIndex(of: target)!))
        let corpus = try Corpus.inputs("Corpus", target).map(\.bytes)
        let workspace = Workspace()
        for _ in 0..<400 {
            var input = random.pick(corpus)
            for _ in 0...random.below(2) {
                var inner = SeededRandom(random.next())
                input = target.mutate(
                    input, random: &random, blind: { blind($0, $1, &inner) }, in: workspace)
            }
            input.withUnsafeBytes { target.run($0, in: workspace) }
        }
    }

    /// A short version of libFuzzer's own mutator.
    private func blind(_ bytes: [UInt8], _ maximum: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array(bytes.prefix(maximum))
        let at = random.below(bytes.count + 1)
        switch random.below(4) {
        case 0 where bytes.count < maximum: bytes.insert(UInt8(random.below(256)), at: at)
        case 1 where at < bytes.count: bytes.remove(at: at)
        case 2 where at < bytes.count: bytes[at] ^= 1 << UInt8(random.below(8))
        default: if at < bytes.count { bytes[at] = UInt8(random.below(256)) }
        }
        return bytes
    }

    @Test func unfoldingReversesFolding() {
        var random = SeededRandom(7)
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(8) {
                let byte = random.oneIn(2) ? 0 : UInt8(random.below(256))
                bytes += [UInt8](repeating: byte, count: random.below(random.oneIn(9) ? 70_000 : 30))
            }
            let folded = FoldedZeros.fold(bytes)
            #expect(folded.withUnsafeBytes { FoldedZeros.unfold($0, limit: 1 << 20) } == bytes)
        }
    }

    /// Makes start inputs for a fuzzer from the golden stores:
    ///
    ///     HEARTWOOD_WRITE_SEEDS=directory swift test --filter FuzzTargetTests
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HEARTWOOD_WRITE_SEEDS"] != nil))
    func writeSeeds() throws {
        let directory = ProcessInfo.processInfo.environment["HEARTWOOD_WRITE_SEEDS"]!
        var all = Seeds.others
        for image in try (1...3).flatMap({ try Corpus.goldenImages(version: $0) }) {
            all.merge(Seeds.from(image)) { $0 + $1 }
        }
        for (target, inputs) in all {
            let path = directory + "/" + target.rawValue
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for (number, input) in inputs.enumerated() {
                try Data(input).write(to: URL(fileURLWithPath: "\(path)/seed-\(number)"))
            }
        }
    }
}
