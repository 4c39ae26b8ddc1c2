import FlowModel
import HTTPServer
import NIOCore
import OAuth
import Tables

enum RowJSON {
    static func value(_ value: TableValue) -> JSONValue {
        switch value {
        case .null: .null
        case .boolean(let value): .bool(value)
        case .number(let number): Int64(exactly: number).map { .int($0) } ?? .double(number)
        case .string(let text): .string(text)
        case .date(let milliseconds): .string(TableDate.text(milliseconds))
        }
    }

    /// Parses a request body, which must be a JSON object whose members are scalars.
    static func members(_ body: ByteBuffer) throws(RequestProblem) -> [String: TableValue] {
        guard let members = try parsed(body).object else {
            throw RequestProblem(Text("row.notAnObject"))
        }
        var values: [String: TableValue] = [:]
        for (name, value) in members { values[name] = try tableValue(value, name) }
        return values
    }

    private static func parsed(_ body: ByteBuffer) throws(RequestProblem) -> JSONValue {
        do {
            return try StrictJSON.parse(body.readableBytesView, integers: .orFloating)
        } catch {
            if error.reason == .numberOutOfRange, let name = error.member {
                throw RequestProblem(Text("row.numberTooLarge", ["name": name]), column: name)
            }
            throw RequestProblem(Text("row.notJSON", ["reason": "\(error)"]))
        }
    }

    private static func tableValue(_ value: JSONValue, _ name: String) throws(RequestProblem) -> TableValue {
        switch value {
        case .null: return .null
        case .bool(let value): return .boolean(value)
        case .int(let value):
            guard let number = Double(exactly: value) ?? Double(wholeDigits: "\(value)") else {
                throw RequestProblem(Text("row.tooManyDigits", ["name": name]), column: name)
            }
            return .number(number)
        case .double(let value): return .number(value)
        case .string(let text): return .string(text)
        case .array, .object:
            throw RequestProblem(Text("row.listOrObject", ["name": name]), column: name)
        }
    }
}
