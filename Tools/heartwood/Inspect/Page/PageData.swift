internal import HeartwoodFormat
internal import HeartwoodInspection

/// The data for the page's script: the JSON output, the wording, and packed maps and records.
struct PageData {
    let survey: StoreSurvey
    let names: StoredKeyText

    var object: JSONText {
        let report = InspectReport(survey: survey, names: names, style: .plain)
        let largest = survey.totals.largestValues + survey.totals.largestKeys
        return [
            "survey": InspectJSON(survey: survey, names: names, hasMaps: false).object,
            "state": report.stateInWords, "opening": report.openingInWords, "gain": report.gain ?? "",
            "lastSequence": Numbers.grouped(survey.totals.lastSequence), "findings": survey.findings.map(words),
            "largest": largest.map { names.text($0.key, columns: 80) },
            "files": survey.files.indices.map { file(at: $0, report) },
            "cells": survey.files.first?.map.count ?? 0,
            "records": survey.files.reduce(0) { $0 + $1.details.count },
            "hasEveryRecord": survey.files.allSatisfy(Self.hasEveryRecord),
        ]
    }

    private func words(_ finding: Finding) -> String {
        InspectWords.what(finding)
            + names.clause(Array(finding.keys.prefix(5)), perhaps: Array(finding.perhapsKeys.prefix(5)))
    }

    private func file(at index: Int, _ report: InspectReport) -> JSONText {
        let file = survey.files[index]
        return [
            "role": InspectWords.role(file.role), "numbers": InspectReport.numbers(file),
            "written": file.times.map(InspectWords.times) ?? "-",
            "continues": file.header == nil ? "-" : report.continuation(file, at: index),
            "map": PackedColumns.map(file.map).base64,
            "parts": file.details.parts.flatMap { [$0.lowerBound, $0.upperBound] },
            "details": file.details.count, "records": PackedColumns.records(file.details, names).base64,
        ]
    }

    private static func hasEveryRecord(_ file: FileSurvey) -> Bool {
        file.records.all == 0 || file.details.parts == [0..<file.size]
    }
}

/// Numbers in few bytes, one after the other: seven bits a byte, the lowest first; bit 7 says that another byte
/// follows. Differences that may be negative have their sign in the lowest bit.
struct PackedColumns {
    private var bytes: [UInt8] = []

    var base64: String { Base64.encode(bytes) }

    /// For each part of a map: a byte that says which kinds occur, then the number of bytes of each of these kinds.
    static func map(_ cells: [ByteCounts]) -> PackedColumns {
        var packed = PackedColumns()
        for cell in cells {
            let kinds = [cell.live, cell.dead, cell.format, cell.torn, cell.corrupt, cell.free]
            packed.bytes.append(kinds.enumerated().reduce(0) { $1.element > 0 ? $0 | 1 << UInt8($1.offset) : $0 })
            for count in kinds where count > 0 { packed.add(count) }
        }
        return packed
    }

    /// For each record, the differences from the record before it. inspect.js reads it.
    static func records(_ details: RecordDetails, _ names: StoredKeyText) -> PackedColumns {
        var packed = PackedColumns()
        var (end, sequence, time) = (UInt64(0), UInt64(0), UInt64(0))
        var key: [UInt8] = []
        for index in 0..<details.count {
            let record = details[index]
            packed.bytes.append(flags(record))
            packed.addDifference(record.offset, end)
            packed.addDifference(record.sequence, sequence)
            if let committed = record.time {
                packed.addDifference(committed, time)
                time = committed
            }
            if let expiry = record.expiry { packed.addDifference(expiry, time) }
            packed.add(UInt64(record.keyBytes))
            packed.add(record.valueBytes)
            let cut = record.key.count < record.keyBytes ? "…" : ""
            let text = Array((names.text(Array(record.key)) + cut).utf8)
            let shared = zip(key, text).prefix { $0 == $1 }.count
            packed.add(UInt64(shared))
            packed.add(UInt64(text.count - shared))
            packed.bytes += text.dropFirst(shared)
            (end, sequence, key) = (record.offset + record.length, record.sequence, text)
        }
        return packed
    }

    private static func flags(_ record: RecordDetails.Record) -> UInt8 {
        let kind: UInt8 =
            switch record.kind {
            case .put: 0
            case .putExpiring: 1
            case .delete: 2
            case .optional: 3
            }
        return kind | record.state.rawValue << 2 | (record.isCompressed ? 32 : 0) | (record.time != nil ? 64 : 0)
            | (record.expiry != nil ? 128 : 0)
    }

    private mutating func add(_ number: UInt64) {
        var rest = number
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func addDifference(_ number: UInt64, _ before: UInt64) {
        let difference = Int64(bitPattern: number &- before)
        add(UInt64(bitPattern: difference << 1 ^ difference >> 63))
    }
}
