internal import ArgumentParser

/// How keys are given on the command line: as text, or in base64 if they aren't text.
struct KeyOption: ParsableArguments {
    @Flag(name: .customLong("key64"), help: "Keys on this command line are base64, for keys that are not UTF-8.")
    var isBase64 = false

    /// The bytes of a key as it was typed.
    ///
    /// - Throws: `ValidationError` for an invalid key.
    func bytes(_ argument: String) throws -> [UInt8] {
        let bytes = try boundary(argument)
        if let problem = KeyLimits.problem(bytes) { throw ValidationError(problem) }
        return bytes
    }

    /// The bytes of the end of a range, or of a prefix: any bytes are valid.
    ///
    /// - Throws: `ValidationError` for invalid base64.
    func boundary(_ argument: String) throws -> [UInt8] {
        guard isBase64 else { return Array(argument.utf8) }
        guard let bytes = Base64.decode(argument) else {
            throw ValidationError("'\(argument)' is not base64: give the key with its padding, or leave '--key64' out")
        }
        return bytes
    }
}
