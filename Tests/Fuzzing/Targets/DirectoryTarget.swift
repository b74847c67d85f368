internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodFormat

/// The input is the image of a store's directory.
///
/// Opening it yields a store, or an error that names the damage, and the same the second time; it changes no byte. A
/// store has exactly the keys and numbers that follow from reading its snapshot's keys and scanning the segments after
/// it in order. Every value can be read, unless it is compressed, or in a snapshot and damaged: then the read may fail.
enum DirectoryTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let image = DirectoryImage(input)
        let configuration = OpeningOutcome.configuration(FrozenFileSystem(image))
        let outcome = OpeningOutcome(configuration)
        require(OpeningOutcome(configuration) == outcome, "the second opening differs")
        switch outcome {
        case .failed(let failure): check(failure, image)
        case .opened(let found): check(found, image, configuration)
        }
    }

    private static func check(_ failure: OpeningOutcome.Failure, _ image: DirectoryImage) {
        require(
            failure.code == .corruption || failure.code == .unsupportedFormat, "an opening ended as \(failure.code)")
        require(!failure.message.isEmpty && failure.message.contains(":"), "no remedy: \(failure.message)")
        guard let file = failure.file, let segment = image.files.first(where: { "/store/" + $0.name == file }) else {
            violated("no file: \(failure)")
        }
        guard let offset = failure.offset else { violated("no offset: \(failure)") }
        if case .snapshot = StoreFileName(segment.name) {
            // The footer may be at any offset.
            require(offset <= UInt64(segment.bytes.count), "damage at \(offset): \(failure)")
            return
        }
        require(
            offset == 0 || offset <= UInt64(segment.bytes.count) && offset % 8 == 0, "damage at \(offset): \(failure)")
    }

    private static func check(
        _ found: OpeningOutcome.Found, _ image: DirectoryImage, _ configuration: Store.Configuration
    ) {
        let expected = ExpectedStore(image, snapshot: found.report.snapshot?.sequence)
        require(found.report.segments == expected.segments, "\(found.report.segments) segments")
        require(found.report.records == expected.records, "\(found.report.records), not \(expected.records) records")
        require(found.report.lastSequence == expected.lastSequence, "the last number is \(found.report.lastSequence)")
        let keys = expected.versions.filter { $0.value.isAlive(expected.now) }.keys.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        require(found.entries.map(\.key) == keys, "other keys")
        for entry in found.entries {
            let version = expected.versions[entry.key]!
            if version.isDamaged, version.isLong { continue }
            let sequence = entry.sequence ?? version.sequence
            require(sequence == version.sequence, "number \(sequence), not \(version.sequence)")
            switch entry.value {
            case .success(let value):
                require(!version.isDamaged && (version.isCompressed || value == version.stored), "another value")
            case .failure(let code):
                require(
                    code == .corruption && (version.isCompressed || version.isDamaged)
                        || code == .unsupportedFormat && version.isDamaged
                        || code == .tooLarge && version.isCompressed, "a value ended as \(code)")
            }
        }
        guard case .torn(_, let offset, _) = found.report.tail else { return }
        var strict = configuration
        strict.strictRecovery = true
        guard case .failed(let failure) = OpeningOutcome(strict), failure.code == .tornTail, failure.offset == offset
        else { violated("a torn tail was not refused") }
    }

    static func mutate(
        _ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation, _ workspace: Workspace
    ) -> [UInt8] {
        if random.oneIn(24) { return blind(input, FuzzTarget.directory.maximumInput) }
        var image = input.withUnsafeBytes { DirectoryImage($0) }
        DirectoryMutation.run(&image, &random, blind, workspace)
        return image.encoded
    }
}
