internal import ArgumentParser

/// The manual page. It is for packagers and `Tools/install`, so the help doesn't list it.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page, in the language of 'man'.",
        discussion: """
              heartwood manual > heartwood.1
            """,
        shouldDisplay: false
    )

    func run() throws {
        try StandardOutput.writeNow(Array(try ManualPage().text.utf8))
    }
}
