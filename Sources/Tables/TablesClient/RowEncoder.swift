import Foundation
import OAuth
import Tables

/// Encodes an `Encodable` row as the members of a JSON object, in which `nil` becomes null to clear the column.
struct RowEncoder {
    /// Returns a row's members, or throws ``TablesError/Code/invalidItem`` for a member that no column can store.
    static func members(of row: some Encodable) throws(TablesError) -> [String: JSONValue] {
        do {
            let target = Target()
            try row.encode(to: MemberEncoder(target: target, codingPath: []))
            guard case .object(let members)? = target.value else { throw NotFlat(name: nil) }
            return members
        } catch let error as NotFlat {
            let what = error.name.map { "'\($0)' of the row" } ?? "the row"
            let kind = error.name == nil ? "an object" : "a string, a number, a Boolean or a date"
            var failure = TablesError(.invalidItem, programmer: "\(what) is not \(kind)")
            failure.column = error.name
            throw failure
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else {
                throw TablesError(.invalidItem, programmer: "\(error)")
            }
            let name = context.codingPath.first?.stringValue
            var failure = TablesError(
                .invalidItem,
                programmer: "'\(name ?? "")' of the row cannot be encoded.",
                underlying: error
            )
            failure.column = name
            throw failure
        } catch {
            throw TablesError(.invalidItem, programmer: "The row cannot be encoded.", underlying: error)
        }
    }
}

/// An error for the member `name` that no column can store, or, if `name` is `nil`, for a row that is not an object.
private struct NotFlat: Error {
    let name: String?
}

private final class Target {
    var value: JSONValue?

    func set(_ name: String, _ member: JSONValue) {
        var members = value?.object ?? [:]
        members[name] = member
        value = .object(members)
    }
}

private struct MemberEncoder: Encoder {
    let target: Target
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        // If a member encodes itself as an object, the object is kept for now, and the row is rejected later.
        target.value = target.value ?? .object([:])
        return KeyedEncodingContainer(Members<Key>(target: target, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Refusing(codingPath: codingPath) }
    func singleValueContainer() -> any SingleValueEncodingContainer { Cell(target: target, codingPath: codingPath) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: Target
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { target.set(key.stringValue, .null) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let member = Target()
        try Cell(target: member, codingPath: codingPath + [key]).encode(value)
        guard let json = member.value, json.object == nil, json.array == nil else {
            throw NotFlat(name: codingPath.first?.stringValue ?? key.stringValue)
        }
        target.set(key.stringValue, json)
    }

    private func some<T: Encodable>(_ value: T?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try some(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try some(value, key) }

    func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        target.set(key.stringValue, .object([:]))
        return KeyedEncodingContainer(Members<Nested>(target: Target(), codingPath: codingPath + [key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        Refusing(codingPath: codingPath + [key])
    }

    func superEncoder() -> any Encoder { MemberEncoder(target: target, codingPath: codingPath) }
    func superEncoder(forKey key: Key) -> any Encoder { MemberEncoder(target: target, codingPath: codingPath + [key]) }
}

private struct Cell: SingleValueEncodingContainer {
    let target: Target
    let codingPath: [any CodingKey]

    func encodeNil() { target.value = .null }

    func encode<T: Encodable>(_ value: T) throws {
        switch value {
        case let value as Bool: target.value = .bool(value)
        case let value as String: target.value = .string(value)
        case let value as Double: try number(value)
        case let value as Float: try number(Double(value))
        case let value as any BinaryInteger:
            guard let integer = Int64(exactly: value) else { throw NotFlat(name: codingPath.first?.stringValue) }
            target.value = .int(integer)
        case let value as Date: target.value = .string(TableDate.text(value))
        case let value as Decimal: try number(NSDecimalNumber(decimal: value).doubleValue)
        case let value as URL: target.value = .string(value.absoluteString)
        default: try value.encode(to: MemberEncoder(target: target, codingPath: codingPath))
        }
    }

    private func number(_ value: Double) throws {
        guard value.isFinite else { throw NotFlat(name: codingPath.first?.stringValue) }
        target.value = .double(value)
    }
}

/// A container that rejects every element, because no column can store an array.
private struct Refusing: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey]
    let count = 0

    private var refusal: NotFlat { NotFlat(name: codingPath.first?.stringValue) }

    func encodeNil() throws { throw refusal }
    func encode<T: Encodable>(_: T) throws { throw refusal }

    func nestedContainer<Nested: CodingKey>(keyedBy _: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(Members<Nested>(target: Target(), codingPath: codingPath))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { MemberEncoder(target: Target(), codingPath: codingPath) }
}
