import HTTPTypes
import Hummingbird
import NIOCore

/// The page at `/`, and its two files. They are part of the program.
struct PageRoutes {
    /// What the page may load: its own files and data, and nothing else.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    func add(to group: RouterGroup<CollectorContext>) {
        group.get("/") { _, _ in Self.file(PackageResources.page_html, "text/html; charset=utf-8") }
        group.get("/page.css") { _, _ in Self.file(PackageResources.page_css, "text/css; charset=utf-8") }
        group.get("/page.js") { _, _ in Self.file(PackageResources.page_js, "text/javascript; charset=utf-8") }
        group.get("/icon.svg") { _, _ in Self.file(PackageResources.icon_svg, "image/svg+xml") }
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        let headers: HTTPFields = [
            .contentType: type, .cacheControl: "no-cache", .contentSecurityPolicy: policy,
            HTTPField.Name("Referrer-Policy")!: "no-referrer",
        ]
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
