import Foundation

extension Shape {
    /// Returns the shape as a JSON Schema (draft 2020-12) with sorted keys.
    public func jsonSchema(title: String) -> String {
        var schema = self.schema
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = title
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: schema, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    private var schema: [String: Any] {
        switch self {
        case .text(let rule):
            var schema: [String: Any] = ["type": "string", "minLength": 1, "maxLength": rule.maxLength]
            schema["pattern"] = rule.pattern
            return schema
        case .integer(let range):
            return ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound]
        case .number:
            return ["type": "number"]
        case .scalar:
            return ["type": ["string", "number", "boolean"]]
        case .boolean:
            return ["type": "boolean"]
        case .choice(let words, _):
            return ["enum": words]
        case .list(let item, let count):
            return ["type": "array", "items": item.schema, "minItems": count.lowerBound, "maxItems": count.upperBound]
        case .object(let keys):
            return object(keys)
        case .dictionary(let rule, let value, let count):
            var names: [String: Any] = ["maxLength": rule.maxLength]
            names["pattern"] = rule.pattern
            return [
                "type": "object", "propertyNames": names, "additionalProperties": value.schema,
                "minProperties": count.lowerBound, "maxProperties": count.upperBound,
            ]
        case .either(let shapes):
            return ["anyOf": shapes.map(\.schema)]
        case .anything:
            return [:]
        case .refused(let reason):
            return ["not": [String: Any](), "$comment": "not accepted: \(reason)"]
        case .later(let shape, let needs):
            return shape.schema.merging(["$comment": "not supported by this version: \(needs)"]) { _, new in new }
        }
    }

    private func object(_ keys: [Key]) -> [String: Any] {
        let properties = keys.map { key in
            var schema = key.shape.schema
            schema["description"] = key.meaning
            schema["default"] = key.standard.flatMap { try? YAMLDocument.parse($0, file: "default").plain }
            if case .later = key.shape, let standard = schema["default"] { schema["const"] = standard }
            return (key.name, schema as Any)
        }
        var schema: [String: Any] = [
            "type": "object", "additionalProperties": false,
            "properties": Dictionary(properties, uniquingKeysWith: { first, _ in first }),
        ]
        let required = keys.filter(\.isRequired).map(\.name)
        if !required.isEmpty { schema["required"] = required }
        return schema
    }
}

extension YAMLNode {
    /// The value in the form that `JSONSerialization` accepts.
    fileprivate var plain: Any {
        switch content {
        case .scalar: integer ?? boolean ?? scalar as Any
        case .list(let items): items.map(\.plain)
        case .mapping(let members):
            Dictionary(members.map { ($0.name, $0.value.plain) }, uniquingKeysWith: { first, _ in first })
        }
    }
}
