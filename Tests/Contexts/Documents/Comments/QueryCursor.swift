// From Sources/HeartwoodRepository/Query/QueryCursor.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood
import HeartwoodRepository

enum CursorResponse { case badRequest, page(QueryCursor) }

func cursorOfText(_ cursor: QueryCursor) -> CursorResponse {
    let text = cursor.description                            // letters, digits, "-" and "_": safe in URLs
    guard let cursor = QueryCursor(text) else { return .badRequest }
    return .page(cursor)
}
