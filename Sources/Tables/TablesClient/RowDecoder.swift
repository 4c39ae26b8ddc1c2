import Foundation
import OAuth
import Tables

/// Decodes a row from a response as a `Decodable` type, ignoring members that the type does not have.
struct RowDecoder {
    /// Decodes a row, or throws ``TablesError/Code/malformedAnswer`` with the missing or wrongly typed member.
    static func row<Row: Decodable>(_: Row.Type, _ json: JSONValue) throws(TablesError) -> Row {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let milliseconds = TableDate.milliseconds(text) else {
                let reason = "'\(text.prefix(40))' is not a date"
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
            }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        do {
            return try decoder.decode(NamingMisfits<Row>.self, from: Data(json.bytes)).value
        } catch let misfit as Misfit {
            throw failure(misfit.error, Row.self, member: misfit.member)
        } catch {
            throw failure(error, Row.self, member: nil)
        }
    }

    private static func failure(_ error: any Error, _ type: Any.Type, member: String?) -> TablesError {
        let reason =
            switch error as? DecodingError {
            case .keyNotFound: "is missing"
            case .valueNotFound: "is null"
            case .typeMismatch(let wanted, _): "is not a \(wanted)"
            case .dataCorrupted: "is not valid"
            default: "does not fit"
            }
        let what = member.map { "'\($0)'" } ?? "the row"
        let sentence = "\(what) \(reason), so the row is not a \(type)"
        var failure = TablesError(.malformedAnswer, programmer: sentence, underlying: error)
        failure.column = member
        return failure
    }
}

/// A decoding error with the name of the member that caused it.
///
/// The errors of `JSONDecoder` do not contain this name if the member's value is a number.
private struct Misfit: Error {
    let member: String
    let error: any Error
}

private struct NamingMisfits<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Value(from: NamingDecoder(inner: decoder))
    }
}

private struct NamingDecoder: Decoder {
    let inner: any Decoder
    var codingPath: [any CodingKey] { inner.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { inner.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(NamingMembers(inner: try inner.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try inner.unkeyedContainer() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { try inner.singleValueContainer() }
}

private struct NamingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let inner: KeyedDecodingContainer<Key>
    var codingPath: [any CodingKey] { inner.codingPath }
    var allKeys: [Key] { inner.allKeys }

    func contains(_ key: Key) -> Bool { inner.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try inner.decodeNil(forKey: key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        do {
            return try inner.decode(type, forKey: key)
        } catch {
            throw Misfit(member: key.stringValue, error: error)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try inner.nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner.nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder { try inner.superDecoder() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try inner.superDecoder(forKey: key) }
}

extension TableDate {
    /// Returns a date in the protocol's format, rounded to the millisecond and clamped to ``range``.
    static func text(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let (first, last) = (Double(range.lowerBound), Double(range.upperBound))
        // NaN becomes the first date in the range.
        return text(Int64(milliseconds > first ? min(milliseconds, last) : first))
    }
}
