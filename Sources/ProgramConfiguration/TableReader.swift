import StrictYAML
import Tables

/// One table of `tasksd.yaml` to a definition.
struct TableReader {
    private(set) var problems: [Problem] = []

    mutating func read(_ name: String, _ value: YAMLValue) -> TableDefinition? {
        let columns = value["columns"].members.map { column($0.name, $0.value, table: name) }
        do throws(TableProblem) {
            var table = try TableDefinition(name, columns: columns)
            table.isPerUser = value["perUser"].flag
            table.hasSoftDelete = value["softDelete"].flag
            table.tombstoneDays = value["tombstoneDays"].number
            for verb in TableDefinition.Verb.allCases {
                table.access[verb] = TableDefinition.Access(rawValue: value["access"][verb.rawValue].text)
            }
            table.readScope = value["scopes"]["read"].optionalText
            table.writeScope = value["scopes"]["write"].optionalText
            refuseAnonymous(table, value["access"])
            return table
        } catch {
            let place = error.column.map { value["columns"][$0] } ?? value
            problems.append(place.problem("`tables.\(name)`: \(error.message)"))
            return nil
        }
    }

    private mutating func refuseAnonymous(_ table: TableDefinition, _ access: YAMLValue) {
        for verb in TableDefinition.Verb.allCases where table.isPerUser && table.access(verb) == .anonymous {
            problems.append(
                access[verb.rawValue].problem(
                    "`tables.\(table.name).access.\(verb.rawValue)`: nobody's rows are whose, so a table that is perUser cannot be anonymous"
                )
            )
        }
    }

    private mutating func column(_ name: String, _ value: YAMLValue, table: String) -> Column {
        let place = "`tables.\(table).columns.\(name)`"
        var column = Column(name, ColumnType(rawValue: value["type"].text) ?? .string)
        column.isRequired = value["required"].flag
        column.minLength = value["minLength"].number
        column.maxLength = value["maxLength"].optionalNumber ?? Column.defaultMaxLength
        column.min = value["min"].optionalReal
        column.max = value["max"].optionalReal
        column.isReadOnly = value["readOnly"].flag
        column.source = Column.Source(rawValue: value["set"].text)
        column.message = value["message"].optionalText
        if column.minLength > column.maxLength {
            problems.append(value["minLength"].problem("\(place): `minLength` is more than `maxLength`"))
        }
        if let min = column.min, let max = column.max, min > max {
            problems.append(value["min"].problem("\(place): `min` is more than `max`"))
        }
        for (key, type) in [
            ("minLength", ColumnType.string), ("maxLength", .string), ("min", .number), ("max", .number),
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
        return column
    }

    private mutating func checked(_ value: YAMLValue, _ column: Column, at place: String) -> TableValue? {
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
            problems.append(value.problem("\(place): a value breaks the column's own rule: \(error.message)"))
            return nil
        }
    }
}
