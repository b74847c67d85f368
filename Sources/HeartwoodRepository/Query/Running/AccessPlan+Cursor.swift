extension AccessPlan {
    /// Leaves out keys whose records certainly come before a cursor. A few others before it may remain.
    ///
    /// - Parameter parts: The encoded values of the sorts, then the encoded id.
    mutating func skip(to parts: [[UInt8]]) {
        guard case .asRead(let isReversed) = ordering, let keyParts, let id = parts.last, steps.count == 1 else {
            return
        }
        var key: [UInt8] = []
        for part in keyParts {
            switch part {
            case .constant(let bytes): key += bytes
            case .sort(let position): key += parts[position]
            case .identifier: key += id
            }
        }
        // Keys of unique indexes may end here; others have the id. The record of the cursor itself is compared later.
        let rest =
            isReversed
            ? EncodedSet(from: EncodedSet.start, to: EncodedSet.after(key))
            : EncodedSet(from: keyParts.isEmpty ? id : key, to: EncodedSet.end)
        steps[0].keys = steps[0].keys.intersection(rest)
    }
}
