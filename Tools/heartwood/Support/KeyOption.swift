internal import ArgumentParser

/// How keys are given on the command line: as text, or in base64 or hexadecimal if they aren't text.
struct KeyOption: ParsableArguments {
    @Flag(name: .customLong("key64"), help: "Keys on this command line are base64, for keys that are not UTF-8.")
    var isBase64 = false

    @Flag(
        name: .customLong("hex"),
        help: "Keys and values are hexadecimal, on this command line and in the output: two digits for each byte.")
    var isHexadecimal = false

    /// How keys and values are printed.
    var notation: ByteNotation { isHexadecimal ? .hexadecimal : .text }

    func validate() throws {
        if isBase64 && isHexadecimal { throw ValidationError("'--key64' and '--hex' at once: leave one out") }
    }

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
    /// - Throws: `ValidationError` for invalid base64 or hexadecimal.
    func boundary(_ argument: String) throws -> [UInt8] {
        guard isBase64 else { return try value(argument) }
        guard let bytes = Base64.decode(argument) else {
            throw ValidationError("'\(argument)' is not base64: give the key with its padding, or leave '--key64' out")
        }
        return bytes
    }

    /// The bytes of a value: never base64.
    ///
    /// - Throws: `ValidationError` for invalid hexadecimal.
    func value(_ argument: String) throws -> [UInt8] {
        guard isHexadecimal else { return Array(argument.utf8) }
        guard let bytes = Hexadecimal.decode(argument) else {
            throw ValidationError(
                "'\(argument)' is not hexadecimal: give two digits for each byte, or leave '--hex' out")
        }
        return bytes
    }
}
