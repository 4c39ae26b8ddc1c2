import Foundation
import OAuth
import Tables

/// Reads a `Codable` row out of an answer; members that the type does not have are passed over.
struct RowDecoder {
    /// Reads one row.
    ///
    /// - Throws: ``TablesError/Code/malformedAnswer``, naming the member that does not fit.
    static func row<Row: Decodable>(_: Row.Type, _ json: JSONValue) throws(TablesError) -> Row {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let milliseconds = TableDate.milliseconds(text) else {
                let reason = "'\(text.prefix(40))' is no date"
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
            }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        do {
            return try decoder.decode(Row.self, from: Data(json.bytes))
        } catch let error as DecodingError {
            throw failure(error, Row.self, json)
        } catch {
            throw TablesError(.malformedAnswer, "the row is no \(Row.self)", underlying: error)
        }
    }

    private static func failure(_ error: DecodingError, _ type: Any.Type, _ json: JSONValue) -> TablesError {
        let (name, reason): (String?, String) =
            switch error {
            case .keyNotFound(let key, let context): ((context.codingPath + [key]).first?.stringValue, "is missing")
            case .valueNotFound(_, let context): (context.codingPath.first?.stringValue, "is null")
            case .typeMismatch(let wanted, let context): (context.codingPath.first?.stringValue, "is no \(wanted)")
            case .dataCorrupted(let context):
                (context.codingPath.first?.stringValue ?? member(of: json, in: context), "is not valid")
            @unknown default: (nil, "does not fit")
            }
        let what = name.map { "'\($0)'" } ?? "the row"
        var failure = TablesError(.malformedAnswer, "\(what) \(reason), so the row is no \(type)", underlying: error)
        failure.column = name
        return failure
    }

    /// The member of the number that a description quotes, where the decoder says no more: `<1.5>` for an integer.
    private static func member(of json: JSONValue, in context: DecodingError.Context) -> String? {
        json.object?.filter { $0.value.double != nil && context.debugDescription.contains("<\($0.value.text)>") }
            .keys.min()
    }
}

extension TableDate {
    /// A date as the tables' clients write it: rounded to the millisecond.
    static func text(_ date: Date) -> String { text(Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
