import OAuth
import Tables

enum RowIdentity {
    static func id(_ text: String) throws(TablesError) -> RowID {
        guard let id = RowID(text) else {
            throw TablesError(
                .invalidID,
                programmer: "'\(text.prefix(80))' is not a valid id: use 1 to 255 characters without \" + / ? \\ or `"
            )
        }
        return id
    }

    /// Returns the members to send in an insert, which do not include an empty id.
    ///
    /// - Throws: ``TablesError/Code/invalidID`` for an invalid id, or ``TablesError/Code/unexpectedID`` for an id that
    ///   is not allowed in an insert. Only the API assigns numeric ids. The member's name must be `id` in lower case.
    static func insertable(_ members: [String: JSONValue]) throws(TablesError) -> [String: JSONValue] {
        var result = members
        for (name, value) in members where name.lowercased() == "id" {
            switch value {
            case .null, .string(""), .int(0), .double(0): result[name] = nil
            case .string(let text) where name == "id": _ = try id(text)
            case .string: throw TablesError(.unexpectedID, programmer: "The id must be called 'id', not '\(name)'.")
            case .int, .double:
                throw TablesError(.unexpectedID, programmer: "The API assigns numeric ids. Omit the id.")
            case .bool, .array, .object: throw TablesError(.invalidID, programmer: "An id must be a string.")
            }
        }
        return result
    }

    /// Returns the id in the members of an existing row, or throws an error if the id is missing or invalid.
    static func existing(_ members: [String: JSONValue]) throws(TablesError) -> RowID {
        switch members.first(where: { $0.key.lowercased() == "id" })?.value {
        case .string(let text)? where !text.isEmpty: return try id(text)
        case .int(let number)? where number > 0: return try id(String(number))
        case nil, .null?, .string?, .int(0)?: throw TablesError(.missingID, programmer: "The row has no id.")
        default: throw TablesError(.invalidID, programmer: "The row's id is not valid.")
        }
    }

    static func version(_ members: [String: JSONValue]) -> RowVersion? {
        (members["version"]?.string ?? members["__version"]?.string).map { RowVersion($0) }
    }
}
