import OAuth
import Tables

/// The checks on ids that the client makes before it sends a request.
enum RowIdentity {
    /// Returns the string as a row id.
    ///
    /// - Throws: ``TablesError/Code/invalidID`` if the string is not a valid id.
    static func id(_ text: String) throws(TablesError) -> RowID {
        guard let id = RowID(text) else {
            throw TablesError(
                .invalidID,
                programmer: "'\(text.prefix(80))' is not a valid id: use 1 to 255 characters without \" + / ? \\ or `"
            )
        }
        return id
    }

    /// Returns the members to send in an insert.
    ///
    /// They include an id only if `members` does.
    ///
    /// - Throws: ``TablesError/Code/invalidID``. ``TablesError/Code/unexpectedID`` for a numeric id, which only the API
    ///   assigns, or for an id in a member with a name other than `id`.
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

    /// Returns the id of an existing row.
    ///
    /// - Throws: ``TablesError/Code/missingID`` or ``TablesError/Code/invalidID``.
    static func existing(_ members: [String: JSONValue]) throws(TablesError) -> RowID {
        switch members.first(where: { $0.key.lowercased() == "id" })?.value {
        case .string(let text)? where !text.isEmpty: return try id(text)
        case .int(let number)? where number > 0: return try id(String(number))
        case nil, .null?, .string?, .int(0)?: throw TablesError(.missingID, programmer: "The row has no id.")
        default: throw TablesError(.invalidID, programmer: "The row's id is not valid.")
        }
    }

    /// Returns the version in a row's members, or `nil` if they contain no version.
    static func version(_ members: [String: JSONValue]) -> RowVersion? {
        (members["version"]?.string ?? members["__version"]?.string).map { RowVersion($0) }
    }
}
