import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Tables

/// The OpenAPI 3.1 document of the running server: made of the router's own routes and the tables' definitions, so that
/// it says neither more nor less than what is answered.
struct OpenAPIDocument {
    static let path = "/openapi.json"

    let tables: [TableDefinition]
    let routes: [Router<HTTPContext>.RouteDescription]

    /// The document.
    var json: JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes where route.method != .head {
            let path = "/" + route.path.description.split(separator: "/").joined(separator: "/")
            if path.hasPrefix("/tables/:table") {
                for table in tables {
                    guard let operation = OpenAPITable(table).operation(route.method, path) else { continue }
                    let own = path.replacing("/:table", with: "/\(table.name)")
                    paths[Self.template(own), default: [:]][route.method.rawValue.lowercased()] = operation
                }
            } else {
                let operation = OpenAPIRoute.operation(route.method, path)
                paths[Self.template(path), default: [:]][route.method.rawValue.lowercased()] = operation
            }
        }
        var schemas: [String: JSONValue] = ["error": OpenAPITable.error, "task": OpenAPIRoute.task]
        for table in tables {
            schemas[table.name] = OpenAPITable(table).row
            schemas["\(table.name).insert"] = OpenAPITable(table).draft(isInsert: true)
            schemas["\(table.name).update"] = OpenAPITable(table).draft(isInsert: false)
        }
        return [
            "openapi": "3.1.0", "info": ["title": "tasksd", "version": "2.0.0"],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": ["schemas": .object(schemas), "securitySchemes": Self.securitySchemes],
        ]
    }

    /// `:id` and `**` as templates write them.
    static func template(_ path: String) -> String {
        "/"
            + path.split(separator: "/").map { part in
                part == "**" ? "{rest}" : part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
            }.joined(separator: "/")
    }

    private static let securitySchemes: JSONValue = [
        "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
        "zumo": ["type": "apiKey", "in": "header", "name": "X-ZUMO-AUTH"],
        "application": ["type": "apiKey", "in": "header", "name": "X-ZUMO-APPLICATION"],
        "master": ["type": "apiKey", "in": "header", "name": "X-ZUMO-MASTER"],
    ]
}

/// Pieces that operations have in common.
enum OpenAPIPart {
    static let token: JSONValue = [["bearer": []], ["zumo": []]]

    static func reference(_ schema: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(schema)")] }

    static func answer(
        _ description: String,
        _ schema: JSONValue? = nil,
        _ type: String = "application/json"
    ) -> JSONValue {
        guard let schema else { return ["description": .string(description)] }
        return ["description": .string(description), "content": [type: ["schema": schema]]]
    }

    static func refusal(_ description: String) -> JSONValue { answer(description, reference("error")) }

    static func parameter(_ name: String, _ place: String, _ schema: JSONValue, _ description: String) -> JSONValue {
        [
            "name": .string(name), "in": .string(place), "required": .bool(place == "path"), "schema": schema,
            "description": .string(description),
        ]
    }
}
