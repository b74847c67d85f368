internal import HeartwoodInspection

/// A survey as one HTML page that contains its styles, script and data, and loads nothing else.
///
/// Data from the store is in the page as JSON and base64, and is shown only as text nodes. The content security policy
/// forbids everything that isn't in the page.
struct Page {
    let survey: StoreSurvey
    let names: StoredKeyText

    /// The page, in pieces.
    var chunks: [[UInt8]] {
        let title = Self.escaped(InspectWords.text(Array(survey.path.utf8), columns: 80))
        let head = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="color-scheme" content="light dark">
            <title>\(title) – heartwood inspect</title>
            <style>
            \(Self.text(PackageResources.inspect_css))\
            </style>
            </head>
            \(Self.text(PackageResources.inspect_html))\
            <script type="application/json" id="data">
            """
        let tail = """
            </script>
            <script>
            \(Self.text(PackageResources.inspect_js))\
            </script>
            </body>
            </html>

            """
        return [Array(head.utf8), Self.inert(PageData(survey: survey, names: names).object.bytes), Array(tail.utf8)]
    }

    /// A file that is compiled into the tool: see Package.swift.
    private static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }

    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

    /// JSON in which nothing can be taken for HTML. The three characters occur only in strings.
    private static func inert(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count + json.count / 64)
        for byte in json {
            switch byte {
            case UInt8(ascii: "<"): result += #"\u003c"#.utf8
            case UInt8(ascii: ">"): result += #"\u003e"#.utf8
            case UInt8(ascii: "&"): result += #"\u0026"#.utf8
            default: result.append(byte)
            }
        }
        return result
    }

    /// Text, escaped for HTML.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
