extension AccessPlan {
    /// Leaves out keys whose records come before a cursor. That of the cursor itself remains.
    ///
    /// - Parameter parts: The encoded values of the sorts, then the encoded id.
    mutating func skip(to parts: [[UInt8]]) {
        guard case .asRead(let isReversed) = ordering, let keyParts, let id = parts.last, steps.count == 1 else {
            return
        }
        var (key, hasNull): ([UInt8], Bool) = ([], false)
        func append(_ element: [UInt8]) {
            key += element
            hasNull = hasNull || EncodedElement.isNull(element)
        }
        for part in keyParts {
            switch part {
            case .constant(let bytes): append(bytes)
            case .sort(let position): append(parts[position])
            case .identifier: append(id)
            case .identifierAfterNull: if hasNull { append(id) }
            }
        }
        // The record of the cursor itself is compared later.
        let rest =
            isReversed
            ? EncodedSet(from: EncodedSet.start, to: EncodedSet.after(key))
            : EncodedSet(from: key, to: EncodedSet.end)
        steps[0].keys = steps[0].keys.intersection(rest)
    }
}
