import Tables

extension QueryFunction {
    func parameter(_ index: Int) -> ValueKind {
        switch self {
        case .substringof, .startswith, .endswith, .contains, .indexof, .concat, .replace: .text
        case .length, .tolower, .toupper, .trim: .text
        case .substring: index == 0 ? .text : .number
        case .year, .month, .day, .hour, .minute, .second: .date
        case .floor, .ceiling, .round: .number
        }
    }

    /// Translates a call to this function into SQL in which `%` and `_` are ordinary characters.
    func sql(_ arguments: [ExpressionSQL.Value]) -> ExpressionSQL.Value {
        switch self {
        case .substringof: Self.instr(arguments[1], arguments[0], "> 0")
        case .contains: Self.instr(arguments[0], arguments[1], "> 0")
        case .startswith: Self.instr(arguments[0], arguments[1], "= 1")
        case .endswith: .call(SQLFunction.name(self), arguments, .truth)
        case .indexof: Self.indexof(arguments[0], arguments[1])
        case .concat:
            ExpressionSQL.Value(
                sql: "(" + arguments[0].sql + " || " + arguments[1].sql + ")",
                kind: .text,
                depth: max(arguments[0].depth + 1, arguments[1].depth + 3)
            )
        case .replace: .call("replace", arguments, .text)
        case .trim: .call("trim", arguments, .text)
        case .length: .call("length", arguments, .number)
        case .substring, .tolower, .toupper: .call(SQLFunction.name(self), arguments, .text)
        case .year, .month, .day, .hour, .minute, .second: .call(SQLFunction.name(self), arguments, .number)
        case .floor, .ceiling, .round: .call(SQLFunction.name(self), arguments, .number)
        }
    }

    private static func instr(
        _ text: ExpressionSQL.Value,
        _ part: ExpressionSQL.Value,
        _ rest: String
    ) -> ExpressionSQL.Value {
        let call = ExpressionSQL.Value.call("instr", [text, part], .number)
        return .condition("(" + call.sql + " \(rest))", depth: call.depth + 1)
    }

    private static func indexof(
        _ text: ExpressionSQL.Value,
        _ part: ExpressionSQL.Value
    ) -> ExpressionSQL.Value {
        var value = instr(text, part, "- 1")
        value.kind = .number
        value.isCondition = false
        return value
    }
}
