import OAuth
import Tables

/// The rules of ids that the client checks before it sends anything.
enum RowIdentity {
    /// The id that a text is.
    ///
    /// - Throws: ``TablesError/Code/invalidID`` where no row can have it.
    static func id(_ text: String) throws(TablesError) -> RowID {
        guard let id = RowID(text) else {
            throw TablesError(
                .invalidID,
                programmer: "'\(text.prefix(80))' can be no id: 1 to 255 characters, no \" + / ? \\ or `"
            )
        }
        return id
    }

    /// The members of an insert, with an id only if it names one.
    ///
    /// - Throws: ``TablesError/Code/invalidID``, or ``TablesError/Code/unexpectedID`` for a number, which only the API
    ///   gives, and for an id that is not called `id`.
    static func insertable(_ members: [String: JSONValue]) throws(TablesError) -> [String: JSONValue] {
        var result = members
        for (name, value) in members where name.lowercased() == "id" {
            switch value {
            case .null, .string(""), .int(0), .double(0): result[name] = nil
            case .string(let text) where name == "id": _ = try id(text)
            case .string: throw TablesError(.unexpectedID, programmer: "an id is called 'id', not '\(name)'")
            case .int, .double: throw TablesError(.unexpectedID, programmer: "a number as an id is given by the API")
            case .bool, .array, .object: throw TablesError(.invalidID, programmer: "an id is a text")
            }
        }
        return result
    }

    /// The id of a row that is there.
    ///
    /// - Throws: ``TablesError/Code/missingID`` or ``TablesError/Code/invalidID``.
    static func existing(_ members: [String: JSONValue]) throws(TablesError) -> RowID {
        switch members.first(where: { $0.key.lowercased() == "id" })?.value {
        case .string(let text)? where !text.isEmpty: return try id(text)
        case .int(let number)? where number > 0: return try id(String(number))
        case nil, .null?, .string?, .int(0)?: throw TablesError(.missingID, programmer: "the row has no id")
        default: throw TablesError(.invalidID, programmer: "the row's id can be no id")
        }
    }

    /// The version that a row says it is of.
    static func version(_ members: [String: JSONValue]) -> RowVersion? {
        (members["version"]?.string ?? members["__version"]?.string).map { RowVersion($0) }
    }
}
