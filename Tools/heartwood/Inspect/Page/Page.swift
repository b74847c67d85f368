internal import HeartwoodInspection

/// A survey as one HTML page, which needs nothing but itself: styles, script and data are in it.
///
/// What comes from the store goes into it as JSON and base64, and onto the screen as text nodes alone; the policy in its
/// head forbids everything that isn't in the page.
struct Page {
    let survey: StoreSurvey

    /// The bytes, in pieces.
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
            \(PageStyle.base)
            \(PageStyle.parts)
            </style>
            </head>
            \(PageBody.html)
            <script type="application/json" id="data">
            """
        let scripts = [
            PageScript.basics, PageScript.data, PageScript.mapDrawing, PageScript.mapView, PageScript.mapPanels,
            PageScript.tables, PageScript.charts, PageScript.start,
        ]
        let tail = """
            </script>
            <script>
            "use strict";
            (() => {
            \(scripts.joined(separator: "\n"))
            })();
            </script>
            </body>
            </html>

            """
        return [Array(head.utf8), Self.inert(PageData(survey: survey).object.bytes), Array(tail.utf8)]
    }

    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

    /// JSON in which nothing can be taken for HTML. The three characters stand in strings only.
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

    /// Text as HTML.
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

/// The page's script, in parts; one function around all of them.
enum PageScript {}
