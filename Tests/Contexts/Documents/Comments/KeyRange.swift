// The examples of documentation comments in Sources/Heartwood/Values/KeyRange.swift, with the spacing that it has
// there.
// swift-format-ignore-file
import Heartwood

func nextPage(_ lastKey: [UInt8]) -> KeyRange {
    let next = KeyRange.prefix("user:").after(lastKey)      // still only keys that start with "user:"
    return next
}

func between(_ lastKey: [UInt8], _ newestKey: [UInt8]) -> KeyRange {
    let recent = KeyRange(lower: .excluded(lastKey), upper: .included(newestKey))
    return recent
}
