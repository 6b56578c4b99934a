/** A small API to try the import with: a public service that asks for no key. Nothing is called before somebody runs it. */
export const EXAMPLE = `openapi: 3.1.0
info:
  title: Weather
  version: "1"
  description: Forecasts of Open-Meteo, a public service that asks for no key.
servers:
  - url: https://api.open-meteo.com
paths:
  /v1/forecast:
    get:
      operationId: get_forecast
      summary: The weather of a place, now and in the next days.
      parameters:
        - { name: latitude, in: query, required: true, description: "Degrees north, as 47.56 for Basel.", schema: { type: number, minimum: -90, maximum: 90 } }
        - { name: longitude, in: query, required: true, description: "Degrees east, as 7.59 for Basel.", schema: { type: number, minimum: -180, maximum: 180 } }
        - { name: current, in: query, description: "What is wanted of now, by commas.", schema: { type: string, default: "temperature_2m,wind_speed_10m" } }
        - { name: forecast_days, in: query, description: "Of how many days.", schema: { type: integer, minimum: 1, maximum: 16, default: 7 } }
      responses:
        "200": { description: The forecast, content: { application/json: { schema: { type: object } } } }
`;
