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
        let page = ManualPage(
            of: try CommandInfo.ofTool(), introduction: HeartwoodTool.introduction,
            version: HeartwoodTool.configuration.version)
        try StandardOutput.writeNow(Array(page.text.utf8))
    }
}
