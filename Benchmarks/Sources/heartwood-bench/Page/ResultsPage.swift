/// Results as one HTML page, which needs nothing but itself: styles, pictures and script are in it.
///
/// All of it can be read without the script, which only lets the reader choose the theme and leave engines out. The
/// policy in its head forbids everything that isn't in the page.
enum ResultsPage {
    static func html(_ results: Results) -> String {
        let context = PageContext(results)
        let groups = context.compared.groups.filter { group in
            group.comparisons.contains { comparison in
                !comparison.entries.isEmpty || results.cells.contains { $0.row == comparison.row.id }
            }
        }
        let sections: [Markup] =
            [
                HeaderSection(context: context).markup, navigation(context, groups),
                TermsSection(context: context).markup,
                SummarySection(context: context).markup, GlanceSection(context: context).markup,
            ] + groups.map { GroupSection(context: context, group: $0).markup } + [
                SettingsSection(context: context).markup, MissingSection(context: context).markup,
            ]
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            \(head(results))
            <body>
            \(sections)<footer><p>Made by heartwood-bench from its file of results, and from nothing else.</p></footer>
            <script>/*<![CDATA[*/
            \(Markup(verbatim: String(decoding: PackageResources.page_js, as: UTF8.self)))
            /*]]>*/</script>
            </body>
            </html>

            """
        return page.text
    }

    private static func head(_ results: Results) -> Markup {
        """
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta http-equiv="Content-Security-Policy" content="\(policy)"/>
        <meta name="color-scheme" content="light dark"/>
        <title>Heartwood beside other engines – \(results.plan), \(FigureText.moment(results.started))</title>
        <style>/*<![CDATA[*/
        \(Markup(verbatim: PageStyle.text))
        /*]]>*/</style>
        </head>
        """
    }

    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

    private static func navigation(_ context: PageContext, _ groups: [ComparedResults.Group]) -> Markup {
        let links = groups.map { "<li><a href=\"#group-\($0.id)\">\(GroupText($0.id).title)</a></li>" as Markup }
        return """
            <nav aria-label="Sections"><ul><li><a href="#summary">Summary</a></li>\(links)\
            <li><a href="#settings">Settings</a></li></ul></nav>

            """
    }
}
