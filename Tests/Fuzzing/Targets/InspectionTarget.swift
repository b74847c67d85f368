internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodInspection

/// The input is the image of a store's directory, possibly an incomplete one.
///
/// It is verified, surveyed, shown and repaired, and the results agree: on the verdict on the files, on whether an
/// opening succeeds, and on what a repair recovers. A repaired store is complete, and contains only valid records of
/// the input. No byte of the files is changed.
enum InspectionTarget {
    private static let path = "/store"

    static func run(_ input: UnsafeRawBufferPointer) {
        let image = DirectoryImage(input)
        // In memory, names that are equal as strings are the same name.
        guard Set(image.files.map(\.name)).count == image.files.count, let fileSystem = try? image.inMemory() else {
            return
        }
        let choice = CRC32C.checksum(input)
        let records = VerifiedRecords(image)
        do {
            // One of the files alone.
            if !image.files.isEmpty {
                let file = image.files[Int(choice) % image.files.count].name
                if Self.isOfStore(file) {
                    _ = try judge(path + "/" + file, image, choice, in: fileSystem)
                    try show(path + "/" + file, records, in: fileSystem)
                }
            }
            guard image.files.contains(where: { Self.isOfStore($0.name) }) else {
                return requireNothing(in: fileSystem)
            }
            let check = try judge(path, image, choice, in: fileSystem)
            try show(path, records, in: fileSystem)
            let inspection = RepairCheck(image: image, records: records, check: check, fileSystem: fileSystem)
            try inspection.run(choice)
        } catch {
            violated("an inspection ended as \(error)")
        }
    }

    /// Whether a file is named as a store names its files. Files with other names belong to no store.
    private static func isOfStore(_ name: String) -> Bool {
        switch StoreFileName(name) {
        case .log, .snapshot, .temporary: true
        case .lock, .keepLog, .other: false
        }
    }

    /// Checks that the absence of a store is reported.
    private static func requireNothing(in fileSystem: InMemoryFileSystem) {
        do {
            let check = try Verification.run(path, fileSystem: fileSystem, patience: .none)
            require(try fileSystem.kind(of: path + "/" + StoreFileName.lockName) != nil, "no store, but: \(check)")
        } catch {
            require((error as? StoreError)?.code == .notFound, "no store, but \(error)")
        }
    }

    /// Verifies and surveys, and compares the results.
    private static func judge(
        _ path: String, _ image: DirectoryImage, _ choice: UInt32, in fileSystem: InMemoryFileSystem
    ) throws -> Verification {
        let check = try Verification.run(path, fileSystem: fileSystem, patience: .none)
        var selection = RecordSelection()
        if choice % 4 == 0 { selection.most = Int(choice >> 8 % 16) }
        let cells = Int(choice >> 4 % 40) + 1
        let survey = try StoreSurvey.make(
            of: path, cells: cells, now: StandingClock.milliseconds, records: choice % 2 == 0 ? selection : nil,
            prefixes: prefixes(choice), fileSystem: fileSystem, patience: .none)
        // Only verify compares a snapshot with the log that it replaced.
        let isSame = check.verdict == survey.verdict || check.comparedSnapshots > 0 && survey.verdict <= .torn
        require(isSame, "verify: \(check.verdict), \(check.findings); inspect: \(survey.verdict), \(survey.findings)")
        require(check.opens == survey.opens, "verify: \(check.findings); inspect: \(survey.findings)")
        require(survey.files.count <= image.files.count, "more files than there are")
        for file in survey.files { checkFile(file, cells, selection) }
        require(survey.totals.bytes.all == survey.files.reduce(0) { $0 + $1.size }, "not the sum of all files")
        checkPrefixes(survey)
        require(!check.findings.contains { $0.description.isEmpty }, "a finding without a description")
        return check
    }

    /// Some keys are of sections, some have separators, and not all are followed.
    private static func prefixes(_ choice: UInt32) -> PrefixSelection {
        PrefixSelection(separators: choice % 3 == 0 ? [] : [0x31], most: Int(choice >> 6 % 5) + 1) { key in
            key.count > 1 && key[0].isMultiple(of: 2) ? 2 : nil
        }
    }

    /// Every live record is in one group, if the keys without a separator are one.
    private static func checkPrefixes(_ survey: StoreSurvey) {
        guard let prefixes = survey.totals.prefixes else { return require(false, "no prefixes") }
        let groups =
            prefixes.sections + prefixes.groups + [prefixes.withoutSeparator, prefixes.others].compactMap(\.self)
        let keys = groups.reduce(0) { $0 + $1.keys }
        let isAll = !prefixes.selection.separators.isEmpty
        require(
            isAll ? keys == survey.totals.keys : keys <= survey.totals.keys, "\(keys) of \(survey.totals.keys) keys")
        let bytes = groups.reduce(0) { $0 + $1.liveBytes + $1.deadBytes }
        require(bytes <= survey.totals.bytes.live + survey.totals.bytes.dead, "\(bytes) of \(survey.totals.bytes)")
        for group in groups { require((group.keys > 0) == (group.largestValue != nil), "\(group)") }
    }

    /// Every byte of a file is of one kind, in its figures and in its map, and its records lie in it.
    private static func checkFile(_ file: FileSurvey, _ cells: Int, _ selection: RecordSelection) {
        require(file.bytes.all == file.size, "\(file.name): \(file.bytes) of \(file.size)")
        require(file.map.count == cells, "\(file.map.count) cells")
        require(file.map.reduce(0) { $0 + $1.all } == file.size, "\(file.name): the map isn't the file")
        require(file.map.reduce(0) { $0 + $1.live } == file.bytes.live, "\(file.name): the map has other live bytes")
        require(file.details.count <= selection.most, "more records than were asked for")
        var end: UInt64 = 4096
        var live: UInt64 = 0
        for index in 0..<file.details.count {
            let record = file.details[index]
            require(record.offset >= end, "\(file.name): a record at \(record.offset), before \(end)")
            end = record.offset + record.length
            if record.state == .live { live += record.length }
        }
        require(end <= max(file.size, 4096), "\(file.name): a record beyond the end")
        require(live <= file.bytes.live, "\(file.name): \(live) bytes are live, not \(file.bytes.live)")
        for (left, right) in zip(file.details.parts, file.details.parts.dropFirst()) {
            require(left.upperBound < right.lowerBound, "\(file.name): parts that overlap")
        }
    }

    /// Only valid records are shown.
    private static func show(_ path: String, _ records: VerifiedRecords, in fileSystem: InMemoryFileSystem) throws {
        var filter = LogFilter()
        filter.withValues = true
        filter.noted = []
        try LogReading.run(path, filter, fileSystem: fileSystem, patience: .none) { item in
            let record: LoggedRecord
            switch item {
            case .record(let shown), .noted(let shown): record = shown
            case .file, .skipped: return true
            }
            let content = record.isCompressed || record.value == nil ? nil : record.value
            let isThere =
                content.map { records.contains(key: record.key, stored: $0, number: record.sequence) } ?? true
            require(isThere, "\(record) isn't there")
            return true
        }
    }

    static func mutate(
        _ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation, _ workspace: Workspace
    ) -> [UInt8] {
        if random.oneIn(24) { return blind(input, FuzzTarget.inspection.maximumInput) }
        var image = input.withUnsafeBytes { DirectoryImage($0) }
        InspectionMutation.run(&image, &random, blind, workspace)
        return image.encoded
    }
}
