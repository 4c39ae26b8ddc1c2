extension Query {
    /// Parses the percent-encoded query component of a URL, or creates a query for every row if `query` is `nil`.
    ///
    /// Options of all dialects are accepted. Each option can occur only once, and its name is case-insensitive. Except
    /// for numeric options, an option with an empty value is treated as absent. `__includeDeleted` is false if it is
    /// empty, `false` or `0`, and true otherwise. `zumo-api-version` is not a custom parameter.
    ///
    /// - Throws: ``QueryProblem`` with the option and, for an error in an expression, the position.
    public init(
        url query: String?,
        dialect: Dialect = .v2,
        limits: QueryLimits = .standard
    ) throws(QueryProblem) {
        self.init()
        var seen: Set<String> = []
        for part in (query ?? "").split(separator: "&") {
            let (name, value) = try Self.pair(part)
            guard value.utf8.count <= limits.length else {
                throw QueryProblem(.tooLong(bytes: limits.length), option: String(name.prefix(64)))
            }
            let option = name.lowercased()
            if try read(option, value, dialect, limits) {
                guard seen.insert(option).inserted else { throw QueryProblem(.repeated, option: name) }
            } else if option != "zumo-api-version" {
                try Self.refuseReserved(name)
                parameters.append(Parameter(name, value))
                guard parameters.count <= limits.parameters else {
                    throw QueryProblem(.tooManyParameters(limits.parameters))
                }
            }
        }
    }

    /// Reads an option if the protocol defines it, and returns whether the protocol defines the option.
    private mutating func read(
        _ option: String,
        _ value: String,
        _ dialect: Dialect,
        _ limits: QueryLimits
    ) throws(QueryProblem) -> Bool {
        switch option {
        case "$filter": filter = value.isBlank ? nil : try Filter(parsing: value, limits: limits)
        case "$orderby": order = value.isBlank ? [] : try SortTerm.parsing(value, limits: limits)
        case "$select": try readSelection(value, limits)
        case "$top":
            top = try Self.number(value, option)
            guard let top, top <= limits.top else {
                throw QueryProblem(
                    dialect == .v1 ? .tooManyRowsInFirstVersion(limits.top) : .tooManyRows(limits.top),
                    option: option
                )
            }
        case "$skip":
            skip = try Self.number(value, option)
            guard let skip, skip <= limits.skip else {
                throw QueryProblem(.tooManySkipped(limits.skip), option: option)
            }
        case "$inlinecount": try readCount(value, option, yes: "allpages", no: "none")
        case "$count": try readCount(value, option, yes: "true", no: "false")
        case "__includedeleted": includesDeleted = Self.includesDeleted(value)
        case "__systemproperties": systemProperties = try SystemProperties(parsing: value)
        default: return false
        }
        return true
    }

    /// Returns whether this value of `__includeDeleted` requests deleted rows.
    public static func includesDeleted(_ value: String) -> Bool { !["", "false", "0"].contains(value.lowercased()) }

    private mutating func readCount(
        _ value: String,
        _ option: String,
        yes: String,
        no: String
    ) throws(QueryProblem) {
        switch value.lowercased() {
        case yes: includesTotalCount = true
        case no, "": break
        default: throw QueryProblem(.neither(yes, no), option: option)
        }
    }

    private mutating func readSelection(_ value: String, _ limits: QueryLimits) throws(QueryProblem) {
        guard !value.isBlank, value != "*" else { return }
        let (names, positions) = try Self.selection(parsing: value, limits: limits)
        selection = names
        selectionPlaces = SourcePositions(positions)
    }

    /// Parses the decoded value of `$select` into column names and their positions, counted in code points from 0.
    ///
    /// - Throws: ``QueryProblem`` with the option `$select` and the position.
    public static func selection(
        parsing value: String,
        limits: QueryLimits = QueryLimits()
    ) throws(QueryProblem) -> (names: [String], positions: [Int]) {
        var names: [String] = []
        var positions: [Int] = []
        var position = 0
        for part in value.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false) {
            let blanks = part.prefix { $0.isBlank }.count
            let name = String(part.dropFirst(blanks).prefix { !$0.isBlank })
            guard FilterToken.isColumn(name), part.dropFirst(blanks + name.unicodeScalars.count).allSatisfy(\.isBlank)
            else { throw QueryProblem(.syntaxError, at: position + blanks, option: "$select") }
            names.append(name)
            positions.append(position + blanks)
            guard names.count <= limits.terms else {
                throw QueryProblem(.tooManyNames(limits.terms), at: position, option: "$select")
            }
            position += part.count + 1
        }
        return (names, positions)
    }

    private static func number(_ text: String, _ option: String) throws(QueryProblem) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw QueryProblem(.notANumberOfRows(String(text.prefix(64))), at: 0, option: option)
        }
        return Int(text) ?? .max
    }

    private static func pair(_ part: Substring) throws(QueryProblem) -> (name: String, value: String) {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = PercentCoding.decoded(halves[0]) else { throw notUTF8(nil) }
        guard let value = PercentCoding.decoded(halves.count > 1 ? halves[1] : "") else { throw notUTF8(name) }
        return (name, value)
    }

    private static func notUTF8(_ name: String?) -> QueryProblem {
        QueryProblem(.notUTF8, option: name.map { String($0.prefix(64)) })
    }
}

extension String {
    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.isBlank) }
}
