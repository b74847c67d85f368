/// Checks that the arguments are what the user typed.
enum CommandLineText {
    /// Refuses arguments that are not UTF-8.
    ///
    /// Swift would silently replace their bytes. Then a command would read, or delete, another key.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/usage``.
    static func check() throws(Failure) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            guard String(validatingCString: argument) == nil else { continue }
            throw Failure(
                .usage,
                "argument \(index) is not UTF-8: give such a key in base64 with '--key64' or in hexadecimal with "
                    + "'--hex', such a value with '--file'")
        }
    }
}
