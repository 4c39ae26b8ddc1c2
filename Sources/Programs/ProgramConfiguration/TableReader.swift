import StrictYAML
import Tables

struct TableReader {
    private(set) var problems: [Problem] = []

    mutating func read(_ name: String, _ value: YAMLValue) -> TableDeclaration? {
        let columns = value["columns"].members.map { column($0.name, $0.value, table: name) }
        do throws(TableProblem) {
            var table = try TableDeclaration(name, columns: columns)
            table.isPerUser = value["perUser"].flag
            table.hasSoftDelete = value["softDelete"].flag
            table.tombstoneDays = value["tombstoneDays"].number
            for verb in TableDeclaration.Verb.allCases {
                table.access[verb] = value["access"][verb.rawValue].optionalChoice()
            }
            table.idKind = value["id"].choice(refused: .string)
            table.isDynamic = value["dynamicSchema"].flag
            table.compatibility = value["compat"].choice(refused: .v2)
            table.hook = hook(value["hook"])
            table.readScope = value["scopes"]["read"].optionalText
            table.writeScope = value["scopes"]["write"].optionalText
            look(at: table, value)
            return table
        } catch {
            let place = error.column.map { value["columns"][$0] } ?? value
            problems.append(place.problem("`tables.\(name)`: \(error.message)"))
            return nil
        }
    }

    private func hook(_ value: YAMLValue) -> TableHook? {
        guard value.isMapping else { return nil }
        let url = value["url"].text
        return TableHook(
            url.hasPrefix("unix:") ? .unixSocket(path: String(url.dropFirst(5))) : .web(url: url),
            operations: Set(value["operations"].items.compactMap { $0.optionalChoice(TableHook.Operation.self) }),
            timeoutSec: value["timeoutSec"].number
        )
    }

    private mutating func look(at table: TableDeclaration, _ value: YAMLValue) {
        if table.columns.isEmpty, !table.isDynamic {
            problems.append(
                value["columns"].problem("`tables.\(table.name).columns` is empty, and `dynamicSchema` is off")
            )
        }
        guard table.isPerUser else { return }
        for verb in TableDeclaration.Verb.allCases {
            let place = value["access"][verb.rawValue]
            let key = "`tables.\(table.name).access.\(verb.rawValue)`"
            switch table.access(verb) {
            case .anonymous:
                problems.append(
                    place.problem(
                        "\(key): a table that is `perUser` must identify the user, so its access cannot be `anonymous`"
                    )
                )
            case .application:
                problems.append(
                    place.warning(
                        "\(key): the application key does not identify a user, so it cannot give access to a table that is `perUser`"
                    )
                )
            case .authenticated, .admin, .disabled: break
            }
        }
    }

    private mutating func column(_ name: String, _ value: YAMLValue, table: String) -> TableColumn {
        let place = "`tables.\(table).columns.\(name)`"
        var column = TableColumn(name, value["type"].choice(refused: .string))
        column.isRequired = value["required"].flag
        column.minLength = value["minLength"].number
        let longest = value["pattern"].isGiven ? Pattern.longestText : TableColumn.defaultMaxLength
        column.maxLength = value["maxLength"].optionalNumber ?? longest
        column.min = value["min"].optionalReal
        column.max = value["max"].optionalReal
        column.isReadOnly = value["readOnly"].flag
        column.source = value["set"].optionalChoice()
        column.message = value["message"].optionalText
        column.pattern = value["pattern"].optionalText.flatMap { try? Pattern($0) }
        if value["pattern"].isGiven, column.maxLength > longest {
            problems.append(
                value["maxLength"].problem("\(place): `maxLength` is at most \(longest) for a column with a `pattern`")
            )
        }
        if column.minLength > column.maxLength {
            problems.append(value["minLength"].problem("\(place): `minLength` is more than `maxLength`"))
        }
        if let min = column.min, let max = column.max, min > max {
            problems.append(value["min"].problem("\(place): `min` is more than `max`"))
        }
        for (key, type) in [
            ("minLength", ColumnType.string), ("maxLength", .string), ("pattern", .string), ("min", .number),
            ("max", .number),
        ]
        where value[key].isGiven && column.type != type {
            problems.append(value[key].problem("\(place): `\(key)` is for columns of type \(type.rawValue)"))
        }
        var allowed: [TableValue] = []
        for item in value["enum"].items {
            if let value = checked(item, column, at: place) { allowed.append(value) }
        }
        column.allowed = allowed
        if value["default"].isPresent { column.defaultValue = checked(value["default"], column, at: place) }
        look(at: column, value, place)
        return column
    }

    private mutating func look(at column: TableColumn, _ value: YAMLValue, _ place: String) {
        if let source = column.source {
            let type = source.type
            if column.type != type {
                problems.append(
                    value["set"].problem("\(place): `set: \(source.rawValue)` is for columns of type \(type.rawValue)")
                )
            }
            for key in ["default", "enum", "pattern", "minLength", "maxLength"] where value[key].isGiven {
                problems.append(
                    value[key].problem("\(place): the server writes this column, so `\(key)` has no effect")
                )
            }
        }
        if column.isReadOnly, column.isRequired, column.source == nil, column.defaultValue == nil {
            problems.append(
                value["readOnly"].problem(
                    "\(place): no client can write this column, so it needs a default if it is required"
                )
            )
        }
    }

    private mutating func checked(_ value: YAMLValue, _ column: TableColumn, at place: String) -> TableValue? {
        let raw: TableValue =
            if let flag = value.optionalFlag {
                .boolean(flag)
            } else if let number = value.optionalReal {
                .number(number)
            } else {
                .string(value.text)
            }
        do throws(TableProblem) {
            return try column.checked(raw)
        } catch {
            problems.append(value.problem("\(place): a value violates the column's own rule: \(error.message)"))
            return nil
        }
    }
}
